import Testing

@testable import InterflowSQLite

@Suite struct RegionTests {
  private func region(_ build: (inout Region) -> Void) -> Region {
    var region = Region()
    build(&region)
    return region
  }

  @Test func aChangeOfRowsAffectsEveryColumn() {
    let written = region { $0.insert(table: "a") }
    #expect(region { $0.insert(table: "a", column: "x") }.isAffected(by: written))
    #expect(region { $0.insert(rowsOf: "a") }.isAffected(by: written))
    #expect(region { $0.insert(table: "a") }.isAffected(by: written))
    #expect(!region { $0.insert(table: "b") }.isAffected(by: written))
    #expect(!Region().isAffected(by: written))
  }

  @Test func aChangeOfAColumnAffectsThoseThatReadIt() {
    let written = region {
      $0.insert(table: "a", column: "x")
      $0.insert(table: "b", column: "z")
      $0.insert(table: "c", column: "z")
    }
    #expect(region { $0.insert(table: "a", column: "x") }.isAffected(by: written))
    #expect(region { $0.insert(table: "a") }.isAffected(by: written))
    #expect(!region { $0.insert(table: "a", column: "y") }.isAffected(by: written))
    #expect(!region { $0.insert(rowsOf: "a") }.isAffected(by: written))
  }

  @Test func everythingAffectsAndIsAffected() {
    #expect(Region().isAffected(by: .everything))
    #expect(Region.everything.isAffected(by: region { $0.insert(table: "a", column: "x") }))
    #expect(!Region.everything.isAffected(by: Region()))
    var union = region { $0.insert(table: "a") }
    union.formUnion(.everything)
    #expect(union == .everything)
    union.insert(table: "a", column: "x")
    #expect(union == .everything)
  }

  @Test func aUnionHasTheColumnsOfBoth() {
    var union = region {
      $0.insert(table: "a", column: "x")
      $0.insert(table: "b")
    }
    union.formUnion(
      region {
        $0.insert(table: "a", column: "y")
        $0.insert(table: "b", column: "z")
        $0.insert(rowsOf: "c")
      })
    #expect(union.tables == ["a": .only(["x", "y"]), "b": .all, "c": .only([])])
    union.insert(table: "a")
    union.insert(table: "a", column: "w")
    #expect(union.tables["a"] == .all)
  }
}
