import Foundation
import InterflowSQLite

/// The row of the benchmarks.
struct Picture: Codable, Sendable {
  var id: Int
  var title: String
  var rating: Double

  init(id: Int, title: String, rating: Double) {
    self.id = id
    self.title = title
    self.rating = rating
  }

  /// One whose text does not fit into a `String` without an allocation, as most do not.
  init(_ id: Int) {
    self.init(id: id, title: "Picture of the day \(id)", rating: Double(id) / 4)
  }

  /// What a row that was read adds to the result of a run.
  var checksum: Int { id &+ title.utf8.count &+ Int(rating) }

  static let schema: SQL = "CREATE TABLE picture (id INTEGER PRIMARY KEY, title TEXT NOT NULL, rating REAL NOT NULL)"
  static let insertion: SQL = "INSERT INTO picture VALUES (?, ?, ?)"
  static let all: SQL = "SELECT id, title, rating FROM picture"
  static let count: SQL = "SELECT count(*) FROM picture"
}

/// Pictures in memory, made once: the same through the package and through SQLite's own functions.
final class Pictures: @unchecked Sendable {  // `database` is; `reference` is used by the main thread alone.
  let database = Database.inMemory()
  let reference = CDatabase()

  init(count: Int) {
    try! database.write { db in
      try db.execute(sql: Picture.schema)
      for id in 0..<count { try db.insert(Picture(id)) }
    }
    reference.execute(Picture.schema.text)
    reference.execute("BEGIN")
    let insertion = reference.prepare(Picture.insertion.text)
    for id in 0..<count { insertion.insert(Picture(id)) }
    reference.execute("COMMIT")
  }
}

extension DatabaseConnection {
  @inline(__always) func insert(_ picture: Picture) throws(DatabaseError) {
    try execute(sql: Picture.insertion, arguments: [picture.id, picture.title, picture.rating])
  }
}

extension CStatement {
  @inline(__always) func insert(_ picture: Picture) {
    bind(picture.id, at: 1)
    bind(picture.title, at: 2)
    bind(picture.rating, at: 3)
    run()
  }
}

/// Calls a closure with the path of a file that is removed afterwards.
func withDatabaseFile<Success>(_ body: (String) throws -> Success) rethrows -> Success {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "interflow-benchmarks-\(UUID().uuidString)")
  try! FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder.appendingPathComponent("database").path)
}
