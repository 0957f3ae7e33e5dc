import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

@Suite struct BackupTests {
  private func pictures(_ path: String) async throws -> [Picture] {
    let database = try await Database(path: path)
    let pictures = try await database.read { try $0.pictures() }
    await database.close()
    return pictures
  }

  @Test func theCopyHasOneState() async throws {
    try await withFolder { folder in
      let database = try await Database(path: folder + "/a.sqlite")
      try await database.write { db in
        try db.execute(sql: Picture.schema)
        for id in 0..<2_000 { try db.insert(Picture(id, String(repeating: "x", count: 500))) }
      }
      // Writers keep the sum of the ratings zero, which only a state between transactions shows.
      let writes = Task {
        for id in 0..<200 {
          try await database.write { db in
            try db.execute(sql: "UPDATE picture SET rating = ifnull(rating, 0) + 1 WHERE id = ?", arguments: [id])
            try db.execute(
              sql: "UPDATE picture SET rating = ifnull(rating, 0) - 1 WHERE id = ?", arguments: [1_999 - id])
          }
        }
      }
      for number in 0..<5 {
        let path = folder + "/copy\(number).sqlite"
        try await database.backUp(to: path)
        let copy = try await pictures(path)
        #expect(copy.count == 2_000)
        #expect(copy.reduce(0) { $0 + ($1.rating ?? 0) } == 0)
      }
      try await writes.value
      await database.close()
    }
  }

  @Test func aDatabaseInMemoryIsSavedAndReplacesAnOlderCopy() async throws {
    try await withFolder { folder in
      let database = try await memory()
      try await database.write { try $0.insert(Picture(1, "a")) }
      try await database.backUp(to: folder + "/copy.sqlite")
      try await database.write { try $0.insert(Picture(2, "b")) }
      try await database.backUp(to: folder + "/copy.sqlite")
      #expect(try await pictures(folder + "/copy.sqlite").map(\.id) == [1, 2])
      #expect(await databaseError { try await database.backUp(to: folder) }?.kind == .directory)
    }
  }

  @Test func whatIsNotWrittenIsNoPlaceForACopy() async throws {
    try await withFolder { folder in
      let path = folder + "/copy.sqlite"
      let database = try await memory()
      try await database.backUp(to: path)
      var options = DatabaseOptions()
      options.isReadOnly = true
      options.isImmutable = true
      let reader = try await Database(path: path, options: options)
      try await database.write { try $0.insert(Picture(1, "a")) }
      #expect(await databaseError { try await database.backUp(to: path) }?.kind == .misuse)
      #expect(try await reader.read { try $0.pictures() } == [])
      await reader.close()
      try await database.backUp(to: path)
      #expect(try await pictures(path) == [Picture(1, "a")])
      for path in ["", ":memory:", "file:\(folder)/x"] {
        #expect(await databaseError { try await database.backUp(to: path) }?.kind == .misuse)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["copy.sqlite"])
    }
  }

  @Test func aWaitForALockOfTheCopyCanBeCancelled() async throws {
    try await withFolder { folder in
      let path = folder + "/copy.sqlite"
      let other = try await Database(path: path)
      var options = DatabaseOptions()
      options.busyTimeout = .seconds(100_000)
      let attempts = Signal()
      options.waitsForLock = { attempts.fire() }
      let database = Database.inMemory(options: options)
      let hasBegun = Signal()
      let proceed = Latch()
      let write = Task {
        try await other.write { db in
          try db.execute(sql: Picture.schema)
          hasBegun.fire()
          proceed.wait()
        }
      }
      await hasBegun.wait()
      let hasEnded = Signal()
      let copying = Task {
        defer { hasEnded.fire() }
        try await database.backUp(to: path)
      }
      await attempts.wait(3)
      copying.cancel()
      await hasEnded.wait()
      proceed.open()
      try await write.value
      await #expect(throws: CancellationError.self) { try await copying.value }
      await other.close()
    }
  }

  @Test func theDatabasesOwnFileIsRefused() async throws {
    try await withFolder { folder in
      let database = try await Database(path: folder + "/a.sqlite")
      try await database.write { db in
        try db.execute(sql: Picture.schema)
        try db.insert(Picture(1, "a"))
      }
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/link.sqlite", withDestinationPath: folder + "/a.sqlite")
      for path in ["/a.sqlite", "/../\(folder.split(separator: "/").last ?? "")/a.sqlite", "/link.sqlite"] {
        #expect(await databaseError { try await database.backUp(to: folder + path) }?.kind == .misuse)
      }
      try await database.write { try $0.insert(Picture(2, "b")) }
      #expect(try await database.read { try $0.pictures() }.map(\.id) == [1, 2])
      await database.close()
    }
  }

  @Test func aCopyReplacesAFileWithOtherPages() async throws {
    try await withFolder { folder in
      var options = DatabaseOptions()
      options.prepare = { try $0.execute(sql: "PRAGMA page_size = 8192") }
      let other = try await Database(path: folder + "/b.sqlite", options: options)
      try await other.write { try $0.execute(sql: "CREATE TABLE other (x)") }
      await other.close()
      let database = try await Database(path: folder + "/a.sqlite")
      try await database.write {
        try $0.execute(sql: Picture.schema)
        try $0.insert(Picture(1, "a"))
      }
      try await database.backUp(to: folder + "/b.sqlite")
      await database.close()
      let copy = try await Database(path: folder + "/b.sqlite")
      #expect(try await copy.read { try $0.pictures() } == [Picture(1, "a")])
      #expect(try await copy.read { try $0.fetchOne(Int.self, sql: "PRAGMA page_size") } == 4_096)
      await copy.close()
    }
  }
}
