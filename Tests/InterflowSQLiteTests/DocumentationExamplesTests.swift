import Combine
import Foundation
import InterflowSQLite
import InterflowTestSupport
import Testing

/// The examples of the documentation, as written there.
// swift-format-ignore
@Suite struct DocumentationExamplesTests {
  struct Picture: Codable, Equatable, Identifiable, Sendable {
    var id: Int
    var title: String
    var day: String?
  }

  private struct Table {
    let applied: Signal

    func apply(_ changes: FetchedChanges) { applied.fire() }
  }

  private let print = ExampleOutput()
  private let table = Table(applied: Signal())

  private func insert(_ picture: Picture, with db: DatabaseConnection) throws {
    try db.execute(sql: "INSERT INTO picture (id, title) VALUES (?, ?)", arguments: [picture.id, picture.title])
  }

  private func show(_ pictures: [Picture]) { print("shows", pictures.map(\.title)) }

  private func show(_ sections: [FetchedSection<String?, Picture>]) { print("sections", sections.map(\.elements.count)) }

  private func database(columns: String, rows: String...) async throws -> Database {
    let database = Database.inMemory()
    try await database.write { db in
      try db.execute(sql: SQL(verbatim: "CREATE TABLE picture (\(columns))"))
      for row in rows { try db.execute(sql: SQL(verbatim: "INSERT INTO picture VALUES (\(row))")) }
    }
    return database
  }

  private func titles(of database: Database) async throws -> [String] {
    try await database.read { try $0.fetchAll(String.self, sql: "SELECT title FROM picture ORDER BY id") }
  }

  // MARK: Formats

  struct Visit: Codable, DatabaseFormatted {
    var id: Int
    var begin: Date
    var end: Date?

    static func formats(forColumn column: String) -> DatabaseFormats? {
      column == "begin" || column == "end" ? DatabaseFormats(date: .text) : nil
    }
  }

  @Test func formats() async throws {
    var options = DatabaseOptions()
    options.formats.date = .text
    options.formats.uuid = .blob
    let visit = Visit(id: 1, begin: Date(timeIntervalSinceReferenceDate: 0))
    let arguments = try DatabaseArguments(encoding: visit)
    let begin = try await Database.inMemory().read {
      try $0.fetchOne(String.self, sql: "SELECT :begin", arguments: arguments)
    }
    #expect(begin == "2001-01-01 00:00:00.000000000")
    let type = try await Database.inMemory(options: options).read {
      try $0.fetchOne(String.self, sql: "SELECT typeof(?) || typeof(?)", arguments: [Date(), UUID()])
    }
    #expect(type == "textblob")
  }

  // MARK: Access

  /// Compiled only: the file is that of a server.
  private func aDatabase() async throws {
    let database = try await Database(path: "/var/lib/pictures.sqlite")
    try await database.write { db in
      try db.execute(sql: "INSERT INTO picture VALUES (?, ?)", arguments: [1, "Crab Nebula"])
    }
    let titles = try await database.read { db in
      try db.fetchAll(String.self, sql: "SELECT title FROM picture")
    }
    print(titles)
  }

  @Test func savepoints() async throws {
    let database = try await database(columns: "id INTEGER PRIMARY KEY, title TEXT", rows: "2, 'Ring Nebula'")
    let pictures = [Picture(id: 1, title: "Crab Nebula"), Picture(id: 2, title: "Twice"), Picture(id: 3, title: "Saturn")]
    try await database.write { db in
      for picture in pictures {
        // One that is refused leaves the others.
        try? db.savepoint { try insert(picture, with: db) }
      }
    }
    #expect(try await titles(of: database) == ["Crab Nebula", "Ring Nebula", "Saturn"])
  }

  @Test func outsideATransaction() async throws {
    let database = try await database(columns: "id INTEGER PRIMARY KEY, title TEXT", rows: "1, 'Saturn'")
    try await database.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
    #expect(try await titles(of: database) == ["Saturn"])
  }

  @Test func statements() async throws {
    let database = try await database(
      columns: "id INTEGER PRIMARY KEY, title TEXT, date TEXT", rows: "1, 'Saturn', '2'", "2, 'Moon', '1'")
    try await database.read { db in
      let pictures = try db.fetchAll(Picture.self, sql: "SELECT * FROM picture ORDER BY date")
      #expect(pictures.map(\.title) == ["Moon", "Saturn"])
    }
    try await database.read { db in
      let rows = try db.fetchCursor(sql: "SELECT id, title FROM picture")
      while let row = try rows.next() { print(row.value(0), row.value(1)) }
    }
    #expect(print.lines.count == 2)
    #expect(print.lines.first?.contains("Saturn") == true)
  }

  @Test func arguments() async throws {
    let database = try await database(columns: "id INTEGER PRIMARY KEY, title TEXT", rows: "2, 'Saturn'")
    try await database.write { db in
      try db.execute(sql: "INSERT INTO picture VALUES (?, ?)", arguments: [1, "Crab Nebula"])
      try db.execute(sql: "DELETE FROM picture WHERE id = :id", arguments: ["id": 1])
    }
    #expect(try await titles(of: database) == ["Saturn"])
  }

  @Test func valuesOfOnesOwn() {
    struct Identifier: DatabaseConvertible {
      var number: Int64
      init(number: Int64) { self.number = number }

      var databaseValue: DatabaseValue { .integer(number) }
      init?(databaseValue: DatabaseValue) {
        guard case .integer(let number) = databaseValue else { return nil }
        self.number = number
      }
    }
    #expect(Identifier(databaseValue: Identifier(number: 7).databaseValue)?.number == 7)
    #expect(Identifier(databaseValue: .text("7")) == nil)
  }

  // MARK: Connection

  @Test func preparation() async throws {
    var options = DatabaseOptions()
    options.prepare = { db in
      try db.execute(sql: "PRAGMA cache_size = -65536")
      try db.addFunction("reversed", argumentCount: 1) { arguments in
        guard case .text(let text) = arguments[0] else { return nil }
        return String(text.reversed())
      }
    }
    try await withFile(options: options) { database in
      let reversed = try await database.read { try $0.fetchAll(String.self, sql: "SELECT reversed('abc')") }
      #expect(reversed == ["cba"])
    }
  }

  @Test func migrations() async throws {
    let database = Database.inMemory()
    try await database.migrate([
      Migration("pictures") { try $0.execute(sql: "CREATE TABLE picture (id INTEGER PRIMARY KEY, title TEXT)") },
      Migration("dates of pictures") { try $0.execute(sql: "ALTER TABLE picture ADD COLUMN date TEXT") },
    ])
    try await database.write { try $0.execute(sql: "INSERT INTO picture VALUES (1, 'Saturn', '2026-01-01')") }
    #expect(try await titles(of: database) == ["Saturn"])
  }

  @Test func checkpoints() async throws {
    try await withFile { database in
      let remaining = try await database.checkpoint(.truncate)
      #expect(remaining == 0)
    }
  }

  // MARK: Observation

  @MainActor
  private final class List {
    var pictures: [Picture] = []
  }

  @Test @MainActor func observation() async throws {
    let database = try await database(columns: "id INTEGER PRIMARY KEY, title TEXT, date TEXT", rows: "1, 'Saturn', '2'")
    let showing = Task {
      let pictures = database.observe { db in
        try db.fetchAll(Picture.self, sql: "SELECT * FROM picture ORDER BY date")
      }
      let cancellable = pictures.sink { print($0) } receiveValue: { show($0) }
      for try await list in pictures.values { show(list) }
      cancellable.cancel()
    }
    // One by the closure, one by the loop.
    await until { print.lines.count == 2 }
    #expect(print.lines == [#"shows ["Saturn"]"#, #"shows ["Saturn"]"#])
    showing.cancel()
    try await showing.value
  }

  @Test @MainActor func observationOnAnActor() async throws {
    @MainActor
    final class PictureList {
      private(set) var pictures: [Picture] = []
      private(set) var error: DatabaseError?
      private var cancellable: AnyCancellable?

      init(_ database: Database) {
        let query = database.observe { db in
          try db.fetchAll(Picture.self, sql: "SELECT * FROM picture ORDER BY title")
        }
        cancellable = query.sink(scheduling: .immediate) { [weak self] completion in
          if case .failure(let error) = completion { self?.error = error }
        } receiveValue: { [weak self] pictures in
          self?.pictures = pictures
        }
      }
    }
    let database = try await database(columns: "id INTEGER PRIMARY KEY, title TEXT", rows: "1, 'Saturn'")
    #expect(PictureList(database).pictures.map(\.title) == ["Saturn"])

    let list = List()
    let query = database.observe { try $0.fetchAll(Picture.self, sql: "SELECT * FROM picture") }
    var cancellable: AnyCancellable?
    cancellable = query.assign(to: \.pictures, on: list) { print($0) }
    await until { list.pictures.count == 1 }
    cancellable?.cancel()
  }

  @Test func observationOfOtherProcesses() async throws {
    try await withFile { database in
      try await database.write { try $0.execute(sql: "ALTER TABLE picture ADD COLUMN date TEXT") }
      let pictures = database.observe(includingOtherProcesses: true) { db in
        try db.fetchAll(Picture.self, sql: "SELECT * FROM picture ORDER BY date")
      }
      for try await list in pictures.values {
        show(list)
        break
      }
    }
    #expect(print.lines == ["shows []"])
  }

  @Test func fetchedResults() async throws {
    let database = try await database(
      columns: "id INTEGER PRIMARY KEY, title TEXT, day TEXT", rows: "1, 'Moon', 'a'", "2, 'Saturn', 'b'", "3, 'Sun', 'b'")
    let showing = Task {
      let pictures = database.observe { db in
        try db.fetchAll(Picture.self, sql: "SELECT * FROM picture ORDER BY day, title")
      }
      for try await results in pictures.fetchedResults().values {
        table.apply(results.changes)
        show(results.sections(by: \.day))
      }
    }
    await until { print.lines == ["sections [1, 2]"] }
    #expect(table.applied.count == 1)
    showing.cancel()
    try await showing.value
  }
}
