#if SQLITE
  import Foundation
  import InterflowSQLite

  func sumOfObservedQuery() async throws -> Int {
    let folder = FileManager.default.temporaryDirectory.appending(path: "threads-client-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try await Database(path: folder.appending(path: "sums.sqlite").path)
    try await database.write { try $0.execute(sql: "CREATE TABLE number (value INTEGER)") }
    let sums = database.observe { try $0.fetchOne(Int.self, sql: "SELECT coalesce(sum(value), 0) FROM number") ?? 0 }
    let writers = Task {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<25 { try await database.write { try $0.execute(sql: "INSERT INTO number VALUES (1)") } }
          }
        }
        try await group.waitForAll()
      }
    }
    for try await sum in sums.values where sum == 100 { break }
    try await writers.value
    return 100
  }
#endif
