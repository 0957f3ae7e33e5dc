import InterflowSQLite
import InterflowTestSupport
import Testing

@Suite struct RowCursorTests {
  private let values = "WITH t(a, b) AS (VALUES (1, 'x'), (2.5, NULL), (x'07', 3)) SELECT a, b FROM t"

  @Test func rowsComeOneAtATime() async throws {
    try await Database.inMemory().read { [values] db in
      let rows = try db.fetchCursor(sql: SQL(verbatim: values))
      #expect(rows.columnNames == ["a", "b"])
      let first = try #require(try rows.next())
      #expect(first.count == 2)
      #expect(first.integer(0) == 1 && first.real(0) == 1 && first.text(0) == nil && first.blob(0) == nil)
      #expect(first.text(1) == "x" && first.integer(1) == nil && first.value(named: "b") == .text("x"))
      let second = try #require(try rows.next())
      #expect(second.real(0) == 2.5 && second.isNull(1) && second.value(1) == .null)
      #expect(second.value(named: "c") == nil)
      let result1 = try rows.next()?.blob(0)
      #expect(result1 == [7])
      let result2 = try rows.next()
      #expect(result2 == nil)
      let result3 = try rows.next()
      #expect(result3 == nil)
    }
  }

  @Test func oneStatementCanRunTwiceAtATime() async throws {
    let database = try await memory()
    try await database.write { db in
      for id in 1...3 { try db.insert(Picture(id, "a")) }
      let outer = try db.fetchCursor(sql: Picture.all)
      var pairs = 0
      while try outer.next() != nil {
        let inner = try db.fetchCursor(sql: Picture.all)
        while try inner.next() != nil { pairs += 1 }
      }
      #expect(pairs == 9)
    }
  }

  @Test func aCursorThatIsNotFinishedEndsWithItsAccess() async throws {
    let database = try await memory()
    let kept = Shared<UncheckedBox<RowCursor>?>(nil)
    try await database.write { db in
      for id in 1...3 { try db.insert(Picture(id, "a")) }
      let rows = try db.fetchCursor(sql: Picture.all)
      _ = try rows.next()
      kept.value = UncheckedBox(rows)
    }
    let rows = try #require(kept.value?.value)
    #expect(isOver(rows))
    // The statement has been given back: it can run again, and the cursor does not disturb that.
    try await database.read { db in
      let again = try db.fetchCursor(sql: Picture.all)
      #expect(try again.next() != nil)
      #expect(kept.value.map { isOver($0.value) } == true)
      let result4 = try again.next()?.integer(0)
      #expect(result4 == 2)
    }
  }

  @Test func aRowKeepsItsCursor() async throws {
    try await Database.inMemory().read { db in
      let row = try #require(try db.fetchCursor(sql: "SELECT 7").next())
      let other = try #require(try db.fetchCursor(sql: "SELECT 7 UNION SELECT 8").next())
      #expect(row.integer(0) == 7 && other.integer(0) == 7)
      let again = try db.fetchOne(Int.self, sql: "SELECT 7")
      #expect(again == 7)
      #expect(row.integer(0) == 7)
    }
  }

  @Test func aRowOfBeforeIsAProgrammingError() async throws {
    await #expect(processExitsWith: .failure) {
      try await Database.inMemory().read { db in
        let rows = try db.fetchCursor(sql: "SELECT 1 UNION SELECT 2")
        let first = try rows.next()
        _ = try rows.next()
        _ = first?.integer(0)
      }
    }
    await #expect(processExitsWith: .failure) {
      try await Database.inMemory().read { db in
        let rows = try db.fetchCursor(sql: "SELECT 1")
        let first = try rows.next()
        _ = try rows.next()
        _ = first?.count
      }
    }
  }

  @Test func aRowOutsideItsAccessIsAProgrammingError() async throws {
    await #expect(processExitsWith: .failure) {
      let database = Database.inMemory()
      let kept = Shared<UncheckedBox<Row>?>(nil)
      try await database.read { kept.value = try $0.fetchCursor(sql: "SELECT 7").next().map { UncheckedBox($0) } }
      try await database.read { db in
        let again = try db.fetchCursor(sql: "SELECT 7")
        _ = try again.next()
        _ = kept.value?.value.integer(0)
      }
    }
  }

  @Test func aCursorDoesNotRunAfterSQLiteHasRolledBack() async throws {
    let database = try await memory()
    let error = await databaseError {
      try await database.write { db in
        try db.insert(Picture(1, "a"))
        let rows = try db.fetchCursor(sql: "INSERT INTO picture VALUES (2, 'b', NULL) RETURNING id")
        try? db.execute(sql: "INSERT OR ROLLBACK INTO picture VALUES (1, 'c', NULL)")
        _ = try rows.next()
      }
    }
    #expect(error?.message == "the transaction has been rolled back")
    #expect(error?.sql?.hasSuffix("RETURNING id") == true)
    #expect(try await database.read { try $0.pictures() } == [])
  }

  private func isOver(_ rows: RowCursor) -> Bool {
    do throws(DatabaseError) {
      _ = try rows.next()
      return false
    } catch {
      return error.kind == .misuse
    }
  }

  // MARK: Decoding

  /// Goes on with the cursor whose row it is decoded from.
  private struct GoingOn: Decodable {
    @TaskLocal static var rows: UncheckedBox<RowCursor>?
    let wasRefused: Bool
    let value: Int

    private enum CodingKeys: String, CodingKey { case value }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      do throws(DatabaseError) {
        while try Self.rows?.value.next() != nil {}
        wasRefused = false
      } catch {
        wasRefused = error.kind == .misuse
      }
      value = try container.decode(Int.self, forKey: .value)
    }
  }

  @Test(arguments: [0, 100]) func aCursorStaysWhileItsRowIsDecoded(cacheCapacity: Int) async throws {
    var options = DatabaseOptions()
    options.statementCacheCapacity = cacheCapacity
    try await Database.inMemory(options: options).read { db in
      let rows = try db.fetchCursor(sql: "SELECT 7 AS value UNION SELECT 8")
      try GoingOn.$rows.withValue(UncheckedBox(rows)) {
        for value in [7, 8] {
          let row = try #require(try rows.next())
          let decoded = try row.decode(GoingOn.self)
          #expect(decoded.wasRefused)
          #expect(decoded.value == value)
          #expect(row.integer(0) == Int64(value), "it is still at the row")
        }
        #expect(try rows.next() == nil)
      }
    }
  }

  /// Decodes the same row once more, and goes on then.
  private struct DecodingTwice: Decodable {
    @TaskLocal static var row: UncheckedBox<Row>?
    let inner: GoingOn
    let wasRefused: Bool

    init(from decoder: any Decoder) throws {
      guard let row = Self.row?.value else { throw TestError("there is no row") }
      inner = try row.decode()
      wasRefused = try GoingOn(from: decoder).wasRefused
    }
  }

  @Test func aRowCanBeDecodedWhileItIsDecoded() async throws {
    try await Database.inMemory().read { db in
      let rows = try db.fetchCursor(sql: "SELECT 7 AS value UNION SELECT 8")
      let row = try #require(try rows.next())
      let decoded = try GoingOn.$rows.withValue(UncheckedBox(rows)) {
        try DecodingTwice.$row.withValue(UncheckedBox(row)) { try row.decode(DecodingTwice.self) }
      }
      #expect(decoded.inner.wasRefused && decoded.inner.value == 7)
      #expect(decoded.wasRefused, "the outer decoding has not ended")
      #expect(try rows.next()?.integer(0) == 8)
    }
  }

  @Test func severalStatementsNeedExecute() async throws {
    let database = try await memory()
    try await database.write { db in
      try db.execute(
        sql: "INSERT INTO picture VALUES (1, 'a;b', NULL); ; INSERT INTO picture VALUES (2, 'c', 1) ; -- ;")
      #expect(db.changedRowCount == 1)
      #expect(db.lastInsertedRowID == 2)
      #expect(throws: DatabaseError.self) { try db.fetchAll(Int.self, sql: "SELECT 1; SELECT 2") }
      // Not even after it has run as a text of several.
      try db.execute(sql: "SELECT 1; SELECT 2")
      #expect(throws: DatabaseError.self) { try db.fetchAll(Int.self, sql: "SELECT 1; SELECT 2") }
      #expect(throws: DatabaseError.self) { try db.fetchAll(Int.self, sql: "SELECT 1; SELEC") }
      let commented = try db.fetchAll(Int.self, sql: "SELECT 1; ; -- one /* \n ; /* two */ ")
      #expect(commented == [1])
      #expect(throws: DatabaseError.self) { try db.fetchAll(Int.self, sql: " -- nothing") }
      let result5 = try db.fetchAll(Int.self, sql: "SELECT 1 ; ")
      #expect(result5 == [1])
    }
    #expect(try await database.read { try $0.pictures().map(\.title) } == ["a;b", "c"])
    let zero = await databaseError { try await database.read { try $0.execute(sql: "SELECT 1\0; SELECT") } }
    #expect(zero?.kind == .misuse)
  }
}
