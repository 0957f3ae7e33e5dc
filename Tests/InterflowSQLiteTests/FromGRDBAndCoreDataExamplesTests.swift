import InterflowSQLite
import Testing

/// The examples of the article on GRDB and Core Data, as written there.
// swift-format-ignore
@Suite struct FromGRDBAndCoreDataExamplesTests {
  struct Author: DatabaseRecord, Equatable {
    static let databaseTableName = "author"
    var id: Int64?
    var name: String
  }

  struct Book: DatabaseRecord, Equatable {
    static let databaseTableName = "book"
    var id: Int64?
    var title: String
    var author: Int64?
  }

  private func library() async throws -> Database {
    let database = Database.inMemory()
    let library = Migration("library") { db in
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
          CREATE TABLE IF NOT EXISTS book (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL, author INTEGER REFERENCES author);
          """)
    }
    try await database.migrate([library])
    try await database.write { db in
      let author = try db.insert(Author(name: "O'Brien"))
      try db.insert(Book(title: "Post Captain", author: author.id))
      try db.insert(Book(title: "Beowulf"))
    }
    return database
  }

  @Test func values() async throws {
    try await library().read { db in
      let (ids, name) = ([1, 2, 3], "O'Brien")
      let titles = try db.fetchAll(
        String.self,
        sql: """
          SELECT title FROM book JOIN author ON author.id = book.author
            WHERE book.id IN (\(ids)) AND name = \(name) ORDER BY title
          """)
      #expect(titles == ["Post Captain"])
    }
  }

  @Test func joins() async throws {
    try await library().read { db in
      struct Entry: Decodable {
        var book: Book
        var author: Author?
      }
      let entries = try db.fetchAll(
        Entry.self,
        sql: """
          SELECT NULL AS "book.", book.*, NULL AS "author.", author.*
            FROM book LEFT JOIN author ON author.id = book.author ORDER BY book.id
          """)
      #expect(entries.map(\.book.title) == ["Post Captain", "Beowulf"])
      #expect(entries.map(\.author?.name) == ["O'Brien", nil])
    }
  }
}
