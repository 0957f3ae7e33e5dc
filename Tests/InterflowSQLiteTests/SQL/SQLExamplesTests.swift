import Foundation
import InterflowSQLite
import Testing

/// The examples of the documentation of SQL, as written there.
// swift-format-ignore
@Suite struct SQLExamplesTests {
  private struct Sorting {
    let column = "date"
  }

  @Test func interpolation() async throws {
    let database = Database.inMemory()
    try await database.write { db in
      try db.execute(sql: """
        CREATE TABLE picture (id INTEGER PRIMARY KEY, title TEXT, rating REAL, date INTEGER);
        INSERT INTO picture VALUES (1, 'Saturn', 1, 5), (2, 'Crab Nebula', 2, 7), (4, 'Crab Nebula', 3, 6);
        CREATE TABLE "order" (id);
        INSERT INTO "order" VALUES (1);
        """)
    }
    let (limit, sorting) = (5, Sorting())
    try await database.write { db in
      let (ids, name) = ([1, 2, 3], "Crab Nebula")
      let pictures = try db.fetchAll(
        Picture.self, sql: "SELECT * FROM picture WHERE id IN (\(ids)) AND title = \(name)")
      #expect(pictures.map(\.id) == [2])

      let isRecent: SQL = "date > \(limit)"
      let order = SQLIdentifier(sorting.column)
      let titles = try db.fetchAll(
        String.self, sql: "SELECT title FROM picture WHERE \(isRecent) ORDER BY \(order)")
      #expect(titles.count == 2)

      let table = SQLIdentifier("order")
      try db.execute(sql: "DELETE FROM \(table)")
      #expect(db.changedRowCount == 1)
    }
  }

  @Test func joins() async throws {
    struct Picture: Decodable {
      var id: Int
      var title: String
    }
    struct Author: Decodable {
      var name: String
    }
    try await Database.inMemory().write { db in
      try db.execute(sql: """
        CREATE TABLE picture (id INTEGER PRIMARY KEY, title TEXT, author INTEGER);
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO picture VALUES (1, 'Saturn', 7), (2, 'Moon', NULL);
        INSERT INTO author VALUES (7, 'A');
        """)
      struct Credit: Decodable {
        var picture: Picture
        var author: Author?
      }
      let credits = try db.fetchAll(
        Credit.self,
        sql: """
          SELECT NULL AS "picture.", picture.*, NULL AS "author.", author.*
            FROM picture LEFT JOIN author ON author.id = picture.author ORDER BY picture.id
          """)
      #expect(credits.map(\.picture.title) == ["Saturn", "Moon"])
      #expect(credits.map(\.author?.name) == ["A", nil])
    }
  }

  @Test func traces() async throws {
    var options = DatabaseOptions()
    options.trace = TraceHook { event in
      if event.duration > .milliseconds(100) { print(event.source, event.message, event.duration) }
    }
    let database = Database.inMemory(options: options)
    #expect(try await database.read { try $0.fetchOne(Int.self, sql: "SELECT 1") } == 1)
  }

  @Test func fullText() async throws {
    try await Database.inMemory().write { db in
      try db.execute(sql: "CREATE TABLE picture (id INTEGER PRIMARY KEY, title TEXT, note TEXT)")
      try db.createFullTextTable("picture_text", synchronizedWith: "picture", columns: ["title", "note"])
      try db.execute(sql: "INSERT INTO picture (title) VALUES ('Crab Nebula'), ('Saturn')")
      let typed = "neb*"
      var found: [String] = []
      if let pattern = FullTextPattern(typed, matching: .allPrefixes) {
        found = try db.fetchAll(
          String.self,
          sql: """
            SELECT picture.title FROM picture JOIN picture_text ON picture_text.rowid = picture.id
              WHERE picture_text MATCH \(pattern) ORDER BY rank
            """)
      }
      #expect(found == ["Crab Nebula"])
    }
  }

  @Test func formatsInSQL() async throws {
    let id = UUID()
    try await Database.inMemory().write { db in
      try db.execute(sql: "CREATE TABLE document (id BLOB, title TEXT)")
      try db.execute(sql: "INSERT INTO document VALUES (\(id, formats: DatabaseFormats(uuid: .blob)), 'a')")
      let formats = DatabaseFormats(uuid: .blob)
      let title = try db.fetchOne(String.self, sql: "SELECT title FROM document WHERE id = \(id, formats: formats)")
      #expect(title == "a")
    }
  }
}
