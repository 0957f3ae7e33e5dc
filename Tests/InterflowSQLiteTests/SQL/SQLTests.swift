import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// Statements with interpolated values.
@Suite struct SQLTests {
  private static func database() async throws -> Database {
    let database = try await memory()
    try await database.write { db in
      for (id, title) in [(1, "a"), (2, "b"), (3, "x'; DROP TABLE picture; --")] { try db.insert(Picture(id, title)) }
    }
    return database
  }

  private static func ids(_ database: Database, _ sql: SQL, _ arguments: DatabaseArguments = []) async throws -> [Int] {
    try await database.read { try $0.fetchAll(Int.self, sql: sql, arguments: arguments) }
  }

  private static func error(_ sql: SQL, _ arguments: DatabaseArguments = []) async throws -> DatabaseError? {
    let database = try await database()
    return await databaseError { try await ids(database, sql, arguments) }
  }

  // MARK: Names

  /// A quote and a mark behind it are one `Character`, but not for SQLite.
  @Test(arguments: ["\u{301}", "\u{200D}", "\u{FE0F}", "", "`"]) func aNameCannotEndItsQuotes(_ mark: String)
    async throws
  {
    let database = try await Self.database()
    let name = "id`\(mark), title FROM picture --"
    let error = await databaseError {
      try await database.read { try $0.execute(sql: "SELECT \(SQLIdentifier(name)) FROM picture") }
    }
    #expect(error?.message.contains("no such column: \(name)") == true)
    try await database.write { db in
      try db.execute(sql: "CREATE TABLE \(SQLIdentifier(name)) (id)")
      #expect(try db.fetchAll(String.self, sql: "SELECT name FROM sqlite_master WHERE name = \(name)") == [name])
    }
  }

  // MARK: Values

  @Test func aValueNeverBecomesText() async throws {
    let database = try await Self.database()
    let title = "x'; DROP TABLE picture; --"
    #expect(try await Self.ids(database, "SELECT id FROM picture WHERE title = \(title)") == [3])
    #expect(try await Self.ids(database, "SELECT id FROM picture WHERE title = \("a' OR '1' = '1")") == [])
    let sql: SQL = "SELECT id FROM picture WHERE title = \(title)"
    #expect(sql.text == "SELECT id FROM picture WHERE title = ?")
    #expect("\(sql)" == sql.text)
  }

  @Test func aSequenceIsAList() async throws {
    let database = try await Self.database()
    let ids = [1, 3, 9]
    #expect(try await Self.ids(database, "SELECT id FROM picture WHERE id IN (\(ids)) ORDER BY id") == [1, 3])
    #expect(try await Self.ids(database, "SELECT id FROM picture WHERE id IN (\(2...7)) ORDER BY id") == [2, 3])
    #expect(try await Self.ids(database, "SELECT id FROM picture WHERE title IN (\(Set(["a"]))) AND id < \(5)") == [1])
  }

  @Test func anEmptySequenceMatchesNothing() async throws {
    let database = try await Self.database()
    #expect(try await Self.ids(database, "SELECT id FROM picture WHERE id IN (\([Int]()))") == [])
    #expect(try await Self.ids(database, "SELECT id FROM picture WHERE id NOT IN (\([Int]()))") == [1, 2, 3])
  }

  @Test func nilAndBytesAreOneValueEach() async throws {
    let database = try await Self.database()
    let (nothing, bytes): (Int?, [UInt8]) = (nil, [1, 2])
    let values = try await database.read { db in
      let rows = try db.fetchCursor(
        sql:
          "SELECT \(nothing), \(bytes), \(4 as Int?), \(DatabaseValue.null), \(true), \(bytes.prefix(1)), \(Data(bytes).dropFirst())"
      )
      return try rows.next().map { row in (0..<row.count).map { row.value($0) } }
    }
    #expect(values == [.null, .blob([1, 2]), .integer(4), .null, .integer(1), .blob([1]), .blob([2])])
  }

  @Test func partsAreComposedWithTheirValues() async throws {
    let database = try await Self.database()
    let isWanted: SQL = "id > \(1) AND title <> \("q")"
    let either: SQL = "(\(isWanted) OR id = \(1))"
    #expect(try await Self.ids(database, "SELECT id FROM picture WHERE \(either) AND id < \(3) ORDER BY id") == [1, 2])
    #expect(try await Self.ids(database, "SELECT id FROM picture WHERE " + isWanted + " ORDER BY id") == [2, 3])
    let order = SQL(verbatim: ["title", "DESC"].joined(separator: " "))
    #expect(try await Self.ids(database, "SELECT id FROM picture ORDER BY \(order)") == [3, 2, 1])
  }

  @Test func identifiersAreQuoted() async throws {
    let database = try await Self.database()
    let table = SQLIdentifier("a\"`; DROP TABLE picture; --")
    try await database.write { db in
      try db.execute(sql: "CREATE TABLE \(table) (\(SQLIdentifier("order")) INTEGER)")
      try db.execute(sql: "INSERT INTO \(table) VALUES (\(7))")
    }
    #expect(try await Self.ids(database, "SELECT \(SQLIdentifier("order")) FROM \(table)") == [7])
    #expect(try await Self.ids(database, "SELECT count(*) FROM picture") == [3])
  }

  @Test func aNameThatIsUnknownIsNoText() async throws {
    let database = try await Self.database()
    let error = await databaseError {
      try await database.write { db in
        try db.execute(sql: "DELETE FROM picture WHERE \(SQLIdentifier("tilte")) <> \("a")")
      }
    }
    #expect(error?.message.contains("tilte") == true)
    #expect(try await Self.ids(database, "SELECT id FROM picture") == [1, 2, 3])
  }

  @Test func argumentsStayForTextWithoutValues() async throws {
    let database = try await Self.database()
    #expect(try await Self.ids(database, "SELECT id FROM picture WHERE id = ?", [2]) == [2])
    let condition: SQL = "id = :id"
    #expect(try await Self.ids(database, "SELECT id FROM picture WHERE \(condition)", ["id": 2]) == [2])
  }

  // MARK: Misuse

  private static let mistakes: [SQL] = [
    "SELECT id FROM picture WHERE title = '\("a")'",
    "SELECT id FROM picture WHERE title LIKE '%\("a")%'",
    "SELECT id FROM picture WHERE \"\("id")\" = 1",
    "SELECT id FROM picture WHERE [\("id")] = 1",
    "SELECT id FROM picture -- \(1)\n",
    "SELECT id FROM picture /* \(1) */",
    "SELECT id FROM picture /*/ \(1) */",
    "SELECT id FROM picture WHERE id = ? OR id = \(1)",
    "SELECT id FROM picture WHERE id = :id OR id = \(1)",
    "SELECT id FROM picture WHERE id = \(1) OR \("id = $id" as SQL)",
    "SELECT id FROM picture WHERE \("title = '\(1)'" as SQL)",
    "SELECT id FROM picture WHERE \("id = \(1) -- mine" as SQL) AND id = 2",
    "SELECT id FROM picture WHERE \("id = 1 -- mine" as SQL) AND id = 2",
    "SELECT id FROM picture WHERE \("id = \(1) /*" as SQL) AND id = 2 */",
    "SELECT id FROM picture WHERE " + "id > \(0) AND title = '" + "a'",
  ]

  @Test(arguments: mistakes) func aValueInTheWrongPlaceIsRefused(_ sql: SQL) async throws {
    let error = try await Self.error(sql)
    #expect(error?.kind == .misuse)
    #expect(error?.message.contains("interpolat") == true)
  }

  @Test func quotesAndCommentsBesideValuesAreFine() async throws {
    let database = try await Self.database()
    let sql: SQL = """
      SELECT id FROM picture -- it's :this?
        WHERE title <> 'it''s ? :that' /* "and * / [this */ AND id - 1 - \(1) = 0 AND "id" = [id] AND `id` / 1 * 1 = \(2)
      """
    #expect(try await Self.ids(database, sql) == [2])
    #expect(try await Self.ids(database, "SELECT 8 /\(4)* 3 -\(1)- \(2)") == [3])
  }

  @Test func valuesBesideArgumentsAreRefused() async throws {
    let error = try await Self.error("SELECT id FROM picture WHERE id = \(1)", [1])
    #expect(error?.kind == .misuse)
    #expect(error?.message.contains("arguments") == true)
  }

  @Test func moreValuesThanParametersAreRefused() async throws {
    let error = try await Self.error("SELECT id FROM picture WHERE id IN (\(1...300_000))")
    #expect(error?.kind == .misuse)
    #expect(error?.message.contains("300000 values are interpolated") == true)
    let database = try await Self.database()
    #expect(try await Self.ids(database, "SELECT id FROM picture WHERE id IN (\(3...2_000))") == [3])
  }
}
