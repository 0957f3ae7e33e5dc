import CSQLite
import InterflowSQLite
import Testing

@Suite struct ColumnValuesTests {
  @Test func lookingAtAValueDoesNotChangeIt() async throws {
    let sql = "SELECT 'a picture of the day with a long title' || x'00' || 'b', x'00ff', 1, 2.5, NULL, '', x''"
    try await Database.inMemory().read { db in
      let rows = try db.fetchCursor(sql: SQL(verbatim: sql))
      let row = try #require(try rows.next())
      let expected: [DatabaseValue] = [
        .text("a picture of the day with a long title\0b"), .blob([0, 255]), .integer(1), .real(2.5), .null, .text(""),
        .blob([]),
      ]
      for _ in 0..<3 {
        #expect((0..<7).map { row.value($0) } == expected)
        for column in 0..<8 {
          // A column beyond the last is NULL.
          let value = column < 7 ? expected[column] : .null
          #expect(row.isNull(column) == value.isNull)
          #expect(row.text(column) == String(databaseValue: value))
          #expect(row.blob(column) == [UInt8](databaseValue: value))
          #expect(row.integer(column) == Int64(databaseValue: value))
          #expect(row.real(column) == Double(databaseValue: value))
        }
      }
    }
  }

  @Test func textInAnotherEncodingIsTheSame() async throws {
    try await withFolder { folder in
      let path = folder + "/wide.sqlite"
      var handle: OpaquePointer?
      #expect(sqlite3_open(path, &handle) == SQLITE_OK)
      let sql = "PRAGMA encoding = 'UTF-16'; CREATE TABLE a (x); INSERT INTO a VALUES ('grün 文 🌌'), ('')"
      #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
      sqlite3_close(handle)
      let database = try await Database(path: path)
      try await database.read { db in
        let texts = try db.fetchAll(String.self, sql: "SELECT x FROM a")
        #expect(texts == ["grün 文 🌌", ""])
        let rows = try db.fetchCursor(sql: "SELECT x FROM a")
        let row = try #require(try rows.next())
        #expect(row.text(0) == "grün 文 🌌" && row.value(0) == .text("grün 文 🌌") && row.text(0) == "grün 文 🌌")
      }
      await database.close()
    }
  }

  @Test func oneDecoderTellsTypesOfOneColumnApart() async throws {
    struct Twice: Decodable {
      var bytes: [UInt8]
      var kind: Kind
      enum Kind: String, Decodable { case a, b }
    }
    try await Database.inMemory().read { db in
      let rows = try db.fetchAll(Twice.self, sql: "SELECT x'01' AS bytes, 'a' AS kind UNION ALL SELECT x'02', 'b'")
      #expect(rows.map(\.bytes) == [[1], [2]])
      #expect(rows.map(\.kind) == [.a, .b])
    }
  }
}
