import Foundation
import InterflowSQLite
import InterflowTestSupport
import Testing

/// A picture of the day, the row of most tests.
struct Picture: Codable, Equatable, Sendable {
  var id: Int
  var title: String
  var rating: Double?

  init(_ id: Int, _ title: String, rating: Double? = nil) {
    self.id = id
    self.title = title
    self.rating = rating
  }

  static let schema: SQL = "CREATE TABLE picture (id INTEGER PRIMARY KEY, title TEXT NOT NULL, rating REAL)"
  static let insertion: SQL = "INSERT INTO picture VALUES (:id, :title, :rating)"
  static let all: SQL = "SELECT * FROM picture ORDER BY id"
}

extension DatabaseConnection {
  func insert(_ picture: Picture) throws {
    try execute(sql: Picture.insertion, arguments: DatabaseArguments(encoding: picture))
  }

  func pictures() throws -> [Picture] { try fetchAll(Picture.self, sql: Picture.all) }
}

/// A folder that is removed when the test ends.
func withFolder<Success>(
  isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> Success
) async throws -> Success {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("interflow-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try await body(folder)
}

/// A database in a file, with the table of pictures, which is closed and removed when the test ends.
func withFile<Success>(
  isolation: isolated (any Actor)? = #isolation, options: DatabaseOptions = DatabaseOptions(),
  _ body: (Database) async throws -> Success
) async throws -> Success {
  try await withFolder { folder in
    let database = try await Database(path: folder + "/test.sqlite", options: options)
    try await database.write { try $0.execute(sql: Picture.schema) }
    let result: Result<Success, any Error>
    do { result = .success(try await body(database)) } catch { result = .failure(error) }
    await database.close()
    return try result.get()
  }
}

/// A database in memory, with the table of pictures.
func memory() async throws -> Database {
  let database = Database.inMemory()
  try await database.write { try $0.execute(sql: Picture.schema) }
  return database
}

/// The error of the database that a closure throws.
func databaseError(
  isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> some Any
) async -> DatabaseError? {
  do {
    _ = try await body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch let error as DatabaseError {
    return error
  } catch {
    Issue.record("another error was thrown: \(error)", sourceLocation: sourceLocation)
  }
  return nil
}

/// A query that never ends by itself.
let endlessQuery: SQL = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
