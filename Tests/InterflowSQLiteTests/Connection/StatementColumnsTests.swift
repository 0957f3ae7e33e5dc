import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// Names of columns, which SQLite compares without the case of ASCII letters.
@Suite struct StatementColumnsTests {
  private struct Note: Codable, Equatable, Sendable {
    var id: Int
    var title: String?
    var size: Double?
  }

  @Test func aPropertyFindsItsColumnInAnyCase() async throws {
    let database = Database.inMemory()
    try await database.write {
      try $0.execute(
        sql: "CREATE TABLE note (ID INTEGER, Title TEXT, sIZE REAL); INSERT INTO note VALUES (1, 'a', 2.5)")
    }
    try await database.read { db in
      let all = try db.fetchAll(Note.self, sql: "SELECT * FROM note")
      #expect(all == [Note(id: 1, title: "a", size: 2.5)])
      let turned = try db.fetchAll(Note.self, sql: "SELECT sIZE, Title, ID FROM note UNION ALL SELECT 3, 'b', 4")
      #expect(turned == [Note(id: 1, title: "a", size: 2.5), Note(id: 4, title: "b", size: 3)])
      let row = try #require(try db.fetchCursor(sql: "SELECT * FROM note").next())
      #expect(row.value(named: "id") == .integer(1) && row.value(named: "TITLE") == .text("a"))
      #expect(row.value(named: "titl") == nil && row.value(named: "titles") == nil)
    }
  }

  private struct Dotted: DatabaseRecord, Equatable {
    static let databaseTableName = "dotted"
    var id: Int
    var number: Int
    var title: String

    enum CodingKeys: String, CodingKey {
      case id, title
      case number = "no."
    }
  }

  @Test func aColumnOfATableIsNoHeading() async throws {
    let database = Database.inMemory()
    try await database.write { db in
      try db.execute(sql: #"CREATE TABLE dotted (id INTEGER PRIMARY KEY, "no." INTEGER, title TEXT)"#)
      let dotted = Dotted(id: 1, number: 2, title: "a")
      try db.insert(dotted)
      #expect(try db.fetch(key: 1) == dotted)
      #expect(try db.fetchAll(Dotted.self) == [dotted])
      try db.update(dotted)
      try db.execute(sql: #"CREATE TABLE keyed ("no." INTEGER, x INTEGER, PRIMARY KEY ("no.", x))"#)
      let key = try DatabaseArguments(["no.": 1, "x": 2]).inOrder(ofKeyOf: db.table(of: Keyed.self), Keyed.self)
      if case .positional(let values) = key.storage { #expect(values.count == 2) } else { Issue.record("no order") }
    }
  }

  private struct Keyed: DatabaseRecord {
    static let databaseTableName = "keyed"
  }

  @Test func aNameAsItIsCountsFirst() {
    let columns = StatementColumns(names: ["ID", "id", "Id", "a", "A", "a"])
    for guess in 0...6 {
      #expect(columns.index(of: "id", guess: guess) == 1)
      #expect(columns.index(of: "ID", guess: guess) == 0)
      #expect(columns.index(of: "iD", guess: guess) == 0)
      #expect(columns.index(of: "b", guess: guess) == nil)
    }
    #expect(columns.index(of: "a", guess: 0) == 3)
  }

  @Test func onlyASCIILettersHaveACase() {
    let columns = StatementColumns(names: ["É", "[", "@a"])
    #expect(columns.index(of: "é", guess: 0) == nil)
    #expect(columns.index(of: "{", guess: 1) == nil)
    #expect(columns.index(of: "`A", guess: 2) == nil)
    #expect(columns.index(of: "@A", guess: 0) == 2)
  }

  // MARK: Missing columns

  private static let missing: SQL = "SELECT 1 AS id, 'a' AS titel"

  @Test func aMissingColumnIsNil() async throws {
    let note = try await Database.inMemory().read { try $0.fetchOne(Note.self, sql: Self.missing) }
    #expect(note == Note(id: 1))
  }

  @Test func aMissingColumnCanBeAnError() async throws {
    var options = DatabaseOptions()
    options.missingColumns = .throw
    let database = Database.inMemory(options: options)
    let error = await databaseError { try await database.read { try $0.fetchOne(Note.self, sql: Self.missing) } }
    #expect(error?.kind == .decoding)
    #expect(error?.message == "there is no column title")
    let all = await databaseError { try await database.read { try $0.fetchAll(Note.self, sql: Self.missing) } }
    #expect(all?.kind == .decoding)
    let cursor = await databaseError {
      try await database.read { try $0.fetchCursor(sql: Self.missing).next()?.decode(Note.self) }
    }
    #expect(cursor?.kind == .decoding)
    let complete = try await database.read {
      try $0.fetchOne(Note.self, sql: "SELECT 1 AS id, NULL AS title, NULL AS size")
    }
    #expect(complete == Note(id: 1), "a column that is NULL is there")
  }
}
