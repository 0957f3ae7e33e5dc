import Foundation
import InterflowSQLite
import InterflowTestSupport
import Testing

/// A process that is killed while it writes leaves a database that opens, is whole, and has everything that was
/// reported.
@Suite struct CrashSafetyStressTests {
  /// The transactions that are in the database, each of them complete.
  private func transactions(_ path: String) async throws -> Set<Int> {
    let database = try await Database(path: path)
    let transactions = try await database.read { db in
      #expect(try db.fetchAll(String.self, sql: "PRAGMA integrity_check") == ["ok"])
      let hasTables = try db.fetchOne(Bool.self, sql: "SELECT count(*) = 2 FROM sqlite_schema WHERE type = 'table'")
      guard hasTables == true else { return Set<Int>() }
      #expect(try db.fetchAll(String.self, sql: "PRAGMA foreign_key_check") == [])
      let incomplete = try db.fetchAll(
        Int.self, sql: "SELECT id FROM entry WHERE parts <> (SELECT count(*) FROM part WHERE entry = entry.id)")
      #expect(incomplete == [])
      return Set(try db.fetchAll(Int.self, sql: "SELECT id FROM entry"))
    }
    await database.close()
    return transactions
  }

  @Test func everythingReportedOutlivesAKill() async throws {
    try await withFolder { folder in
      var stored: Set<Int> = []
      for seed in 0..<max(10, stressRuns / 50) {
        var random = Random(UInt64(seed))
        // Several rounds with one file, and a new one again, which may be killed while it is being made.
        let path = "\(folder)/\(seed / 10).sqlite"
        if seed % 10 == 0 { stored = [] }
        let limit = seed % 10 == 0 ? 0 : Int.random(in: 0...60, using: &random)

        let writer = try ChildProcess(built: "DatabaseWriter", "endless", path, "\(seed)")
        var reported: Set<Int> = []
        var count = 0
        for await number in writer.numbers() {
          if number > 0 { reported.insert(number) }
          if count == limit { writer.kill() }
          count += 1
        }
        // Reached also where the time limit ends the loop.
        writer.kill()
        #expect(writer.wait() == .killed(signal: SIGKILL))
        #expect(count > limit)

        let found = try await transactions(path)
        #expect(found.isSuperset(of: stored.union(reported)), "round \(seed)")
        #expect(found.count <= stored.count + reported.count + 1, "round \(seed)")
        stored = found
      }
    }
  }
}
