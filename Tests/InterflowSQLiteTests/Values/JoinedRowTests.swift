import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// Rows that are structures of structures.
@Suite struct JoinedRowTests {
  struct Author: Codable, Equatable, Sendable {
    var id: Int
    var name: String?
  }

  struct Credit: Codable, Equatable, Sendable {
    var picture: Picture
    var author: Author?
  }

  private static let picture = Picture(1, "a")

  private static func all<Row: Decodable & Sendable>(
    _ type: Row.Type, _ sql: SQL, _ options: DatabaseOptions = DatabaseOptions()
  ) async throws -> [Row] {
    try await Database.inMemory(options: options).write { db in
      try db.execute(
        sql: """
          CREATE TABLE picture (id INTEGER PRIMARY KEY, title TEXT, rating REAL, author INTEGER);
          CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
          INSERT INTO author VALUES (7, 'A'), (8, NULL);
          INSERT INTO picture VALUES (1, 'a', NULL, 7), (2, 'b', 2, NULL), (3, 'c', NULL, 8);
          """)
      return try db.fetchAll(type, sql: sql)
    }
  }

  private static let expected = [
    Credit(picture: Picture(1, "a"), author: Author(id: 7, name: "A")),
    Credit(picture: Picture(2, "b", rating: 2), author: nil),
    Credit(picture: Picture(3, "c"), author: Author(id: 8, name: nil)),
  ]

  @Test func headingsSplitTheColumns() async throws {
    let rows = try await Self.all(
      Credit.self,
      """
      SELECT NULL AS "picture.", picture.*, 'x' AS "Author.", author.*
        FROM picture LEFT JOIN author ON author.id = picture.author ORDER BY picture.id
      """)
    #expect(rows == Self.expected)
  }

  @Test func namesWithAPrefixNeedNoOrder() async throws {
    let rows = try await Self.all(
      Credit.self,
      """
      SELECT author.name AS "AUTHOR.name", picture.id AS "picture.id", author.id AS "author.id", rating AS "picture.rating",
          title AS "picture.title"
        FROM picture LEFT JOIN author ON author.id = picture.author ORDER BY picture.id
      """)
    #expect(rows == Self.expected)
  }

  @Test func columnsAfterAHeadingAreNobodyElses() async throws {
    struct Row: Decodable, Equatable, Sendable {
      var id: Int
      var title: String
      var name: String?
      var author: Author?
    }
    let rows = try await Self.all(
      Row.self,
      """
      SELECT picture.id, title, NULL AS "author.", author.* FROM picture JOIN author ON author.id = picture.author
        WHERE picture.id = 1
      """)
    #expect(rows == [Row(id: 1, title: "a", name: nil, author: Author(id: 7, name: "A"))])
  }

  @Test func structuresAreNestedToAnyDepth() async throws {
    struct Outer: Decodable, Equatable, Sendable {
      var credit: Credit?
      var count: Int
    }
    let sql: SQL = """
      SELECT 5 AS count, 1 AS "credit.picture.id", 'a' AS "credit.picture.title", NULL AS "credit.picture.rating",
        NULL AS "credit.author.", author.* FROM author WHERE id = 7
      """
    let rows = try await Self.all(Outer.self, sql)
    #expect(rows == [Outer(credit: Self.expected[0], count: 5)])
    #expect(try await Self.all(Outer.self, "SELECT 5 AS count") == [Outer(credit: nil, count: 5)])
  }

  @Test func aStructureThatMustBeThereNamesWhatIsMissing() async throws {
    let missing = await databaseError {
      try await Self.all(Credit.self, "SELECT id AS \"picture.id\", rating AS \"picture.rating\" FROM picture")
    }
    #expect(missing?.kind == .decoding)
    #expect(missing?.message.contains("picture.title") == true)
    let absent = await databaseError { try await Self.all(Credit.self, "SELECT * FROM author") }
    #expect(absent?.message.contains("no column picture") == true)
    let null = await databaseError {
      try await Self.all(Credit.self, "SELECT NULL AS \"picture.id\", NULL AS \"picture.title\"")
    }
    #expect(null?.kind == .decoding)
  }

  @Test func strictnessReachesNestedStructures() async throws {
    var options = DatabaseOptions()
    options.missingColumns = .throw
    let sql: SQL = "SELECT 1 AS \"picture.id\", 'a' AS \"picture.title\", NULL AS \"author.id\""
    let error = await databaseError { try await Self.all(Credit.self, sql, options) }
    #expect(error?.message.contains("picture.rating") == true)
    #expect(try await Self.all(Credit.self, sql) == [Credit(picture: Self.picture, author: nil)])

    struct Entry: Decodable, Sendable {
      var photo: RecordTests.Photo
    }
    let record = await databaseError {
      try await Self.all(Entry.self, "SELECT 1 AS \"photo.id\", 'a' AS \"photo.title\"")
    }
    #expect(record?.message.contains("photo.rating") == true)
  }

  @Test func aColumnOfThePropertysNameCountsFirst() async throws {
    let sql: SQL = """
      SELECT '{"id":1,"title":"a"}' AS picture, 9 AS "picture.id", 8 AS "author.id"
      """
    #expect(try await Self.all(Credit.self, sql) == [Credit(picture: Self.picture, author: Author(id: 8))])
  }

  @Test func aCursorsRowHasTheSameNames() async throws {
    let database = try await memory()
    try await database.write { db in
      try db.insert(Picture(1, "a"))
      let rows = try db.fetchCursor(sql: "SELECT 4 AS id, NULL AS \"picture.\", * FROM picture")
      let row = try rows.next()
      #expect(row?.value(named: "picture.title") == .text("a"))
      #expect(row?.value(named: "title") == nil)
      #expect(row?.value(named: "id") == .integer(4))
      #expect(rows.columnNames == ["id", "picture.", "id", "title", "rating"])
      #expect(try row?.decode(Credit.self).picture == Self.picture)
    }
  }
}
