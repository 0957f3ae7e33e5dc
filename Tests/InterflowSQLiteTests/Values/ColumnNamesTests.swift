import Combine
import InterflowSQLite
import InterflowTestSupport
import InterflowTesting
import Testing

/// SQLite compiles a statement again when the schema has changed: a query that was kept has other columns then.
@Suite struct ColumnNamesTests {
  private struct Note: Codable, Equatable, Sendable {
    var id: Int?
    var text: String?
    var colour: String?
  }

  private static let all: SQL = "SELECT * FROM note"

  /// How the table changes, the note that is found afterwards, and the names of the columns.
  private static let changes: [(sql: String, note: Note, names: [String])] = [
    (
      "ALTER TABLE note ADD COLUMN colour TEXT DEFAULT 'red'", Note(id: 1, text: "a", colour: "red"),
      ["id", "text", "colour"]
    ),
    ("ALTER TABLE note DROP COLUMN text", Note(id: 1, colour: "red"), ["id", "colour"]),
    ("ALTER TABLE note RENAME COLUMN colour TO text", Note(id: 1, text: "red"), ["id", "text"]),
  ]

  private func withNotes(_ body: (Database) async throws -> Void) async throws {
    var options = DatabaseOptions()
    options.readerCount = 1
    try await withFile(options: options) { database in
      try await database.write {
        try $0.execute(sql: "CREATE TABLE note (id INTEGER, text TEXT); INSERT INTO note VALUES (1, 'a')")
      }
      try await body(database)
    }
  }

  @Test func aKeptQueryDecodesTheColumnsOfTheNewSchema() async throws {
    try await withNotes { database in
      let before = try await database.read { try $0.fetchAll(Note.self, sql: Self.all) }
      #expect(before == [Note(id: 1, text: "a")])
      for change in Self.changes {
        try await database.write { try $0.execute(sql: SQL(verbatim: change.sql)) }
        let all = try await database.read { try $0.fetchAll(Note.self, sql: Self.all) }
        #expect(all == [change.note])
      }
    }
  }

  @Test func oneRowHasTheColumnsOfTheNewSchema() async throws {
    try await withNotes { database in
      _ = try await database.read { try $0.fetchOne(Note.self, sql: Self.all) }
      for change in Self.changes {
        try await database.write { try $0.execute(sql: SQL(verbatim: change.sql)) }
        let one = try await database.read { try $0.fetchOne(Note.self, sql: Self.all) }
        #expect(one == change.note)
      }
    }
  }

  @Test(arguments: [true, false]) func aCursorHasTheColumnsOfTheNewSchema(asksForNamesFirst: Bool) async throws {
    try await withNotes { database in
      _ = try await database.read { try $0.fetchCursor(sql: Self.all).columnNames }
      for change in Self.changes {
        try await database.write { try $0.execute(sql: SQL(verbatim: change.sql)) }
        try await database.read { db in
          let rows = try db.fetchCursor(sql: Self.all)
          if asksForNamesFirst { #expect(rows.columnNames == change.names) }
          let row = try #require(try rows.next())
          #expect(rows.columnNames == change.names)
          #expect(row.count == change.names.count)
          #expect(row.value(named: "text") == change.note.text.map { .text($0) })
          let note = try row.decode(Note.self)
          #expect(note == change.note)
          let end = try rows.next() == nil
          #expect(end)
          #expect(rows.columnNames == change.names)
        }
      }
    }
  }

  @Test func anObservationDeliversTheColumnsOfTheNewSchema() async throws {
    try await withNotes { database in
      let recorder = RecordingSubscriber<[Note], DatabaseError>(initialDemand: .unlimited)
      let arrivals = Signal()
      recorder.onValue = { _ in arrivals.fire() }
      recorder.onCompletion = { _ in arrivals.fire() }
      database.observe { try $0.fetchAll(Note.self, sql: Self.all) }.publisher.subscribe(recorder)
      await arrivals.wait(1)
      for (index, change) in Self.changes.enumerated() {
        try await database.write { try $0.execute(sql: SQL(verbatim: change.sql)) }
        await arrivals.wait(index + 2)
      }
      recorder.cancel()
      #expect(recorder.values == [[Note(id: 1, text: "a")]] + Self.changes.map { [$0.note] })
    }
  }
}
