import Combine
import Foundation
import Interflow
import InterflowSQLite

struct Picture: DatabaseRecord, Sendable {
  static let databaseTableName = "picture"

  /// Given by the database.
  var id: Int?
  var title: String
}

/// What a list of pictures shows. It follows the database, whoever writes to it.
@MainActor
final class PictureList: ObservableObject {
  @Published private(set) var titles: [String] = []
  @Published private(set) var error: DatabaseError?

  private var observation: AnyCancellable?

  init(_ database: Database) {
    let pictures = database.observe { db in
      try db.fetchAll(Picture.self, sql: "SELECT id, title FROM picture ORDER BY title")
    }
    observation = pictures.publisher
      .sink(isolation: #isolation) { [weak self] completion in
        if case .failure(let error) = completion { self?.error = error }
      } receiveValue: { [weak self] pictures in
        self?.titles = pictures.map(\.title)
      }
  }
}

/// Keeps the pictures whose titles come in by the standard input, and shows the list as the database has it.
///
///     swift run Pictures pictures.sqlite < titles.txt
@main
@MainActor
enum Pictures {
  static func main() async {
    guard CommandLine.arguments.count == 2 else { end("Usage: Pictures DATABASE", 2) }
    do {
      let database = try await Database(path: CommandLine.arguments[1])
      try await database.migrate([
        Migration(1) { db in
          try db.execute(sql: "CREATE TABLE picture (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE)")
        }
      ])
      let list = PictureList(database)
      let view = list.$titles.dropFirst().sink { print($0.isEmpty ? "no pictures" : $0.joined(separator: ", ")) }

      for try await title in FileHandle.standardInput.bytes.lines {
        try await database.write { db in
          let known = try db.fetchOne(Picture.self, sql: "SELECT * FROM picture WHERE title = \(title)")
          if known == nil { try db.insert(Picture(title: title)) }
        }
      }
      // The list follows the last write as it did the others.
      let count = try await database.read { db in
        try db.fetchOne(Int.self, sql: "SELECT count(*) FROM picture")
      }
      let shown = list.$titles.map { $0.count == count }
      let isDone = shown.combineLatest(list.$error) { isShown, error in (isShown, error) }
      for await (isShown, error) in isDone.values {
        if let error { throw error }
        if isShown { break }
      }
      view.cancel()
      await database.close()
    } catch {
      end("Pictures: \(error)", 1)
    }
  }

  private static func end(_ message: String, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
  }
}
