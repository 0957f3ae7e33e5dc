import InterflowTestSupport
import Synchronization
import Testing

@testable import InterflowSQLite

/// Random schemas, queries and changes. What an observation would miss is found out by running each query again after each
/// change: where it finds something else, the change must have been reported for what the query has read.
@Suite struct ObservationStressTests {
  /// Runs a change, alone or among others of its transaction, of which a savepoint may be undone.
  ///
  /// - Returns: What has been written; `nil` if it failed.
  private func change(_ sql: String, undone: String?, on database: Database) async -> Region? {
    try? await database.writer.run { connection in
      try connection.write { db in
        if let undone {
          try? db.savepoint {
            try db.execute(sql: SQL(verbatim: undone))
            throw TestError()
          }
        }
        try db.execute(sql: SQL(verbatim: sql))
      }.region
    }
  }

  /// What a run has seen: whether it could have found anything.
  private struct Tally {
    var changedResults = 0
    var ranQueries = 0
    var failedQueries = 0
    /// Of those that did not change a result.
    var quietChanges = 0
  }

  private func check(seed: UInt64, on database: Database, _ tally: inout Tally) async throws {
    var random = RandomDatabase(seed: seed)
    for statement in random.statements {
      // One may fail, such as a row that a trigger refuses.
      _ = try? await database.write { try $0.execute(sql: SQL(verbatim: statement)) }
    }
    let queries = (0..<10).map { _ in random.query() }
    var before: [ObservedOutcome] = []
    for query in queries { before.append(try await database.outcome(of: query)) }
    for number in 0..<8 {
      let sql = random.change()
      let undone = number % 4 == 3 ? random.change() : nil
      let written = await change(sql, undone: undone, on: database)
      for (index, query) in queries.enumerated() {
        let after = try await database.outcome(of: query)
        tally.ranQueries += 1
        if after.hasFailed { tally.failedQueries += 1 }
        let isAffected = written.map { before[index].region.isAffected(by: $0) } ?? false
        if after.result != before[index].result {
          tally.changedResults += 1
          #expect(
            isAffected,
            """
            INTERFLOW_STRESS_SEED=\(seed): \(query)
            after \(sql)\(undone.map { ", with \($0) undone" } ?? "")
            in \(random.statements.joined(separator: ";\n"))
            """)
        } else if !isAffected {
          tally.quietChanges += 1
        }
        before[index] = after
      }
    }
  }

  @Test func noChangeIsMissedInRandomSchemas() async throws {
    let first = environmentNumber("INTERFLOW_STRESS_SEED")
    // There is one thread, in which ThreadSanitizer finds nothing.
    let usual = hasThreadSanitizer ? 100 : 1_000
    let count = first != nil ? 1 : environmentNumber("INTERFLOW_STRESS_RUNS") ?? usual
    var tally = Tally()
    for seed in (first ?? 0)..<(first ?? 0) + count {
      if seed % 10 == 0 {
        try await withFolder { folder in
          let database = try await Database(path: folder + "/a")
          try await check(seed: UInt64(seed), on: database, &tally)
          await database.close()
        }
      } else {
        let database = Database.inMemory()
        try await check(seed: UInt64(seed), on: database, &tally)
        await database.close()
      }
    }
    guard first == nil else { return }
    // Otherwise it would have shown nothing.
    #expect(tally.changedResults > tally.ranQueries / 50, "\(tally)")
    #expect(tally.quietChanges > tally.ranQueries / 10, "\(tally)")
    #expect(tally.failedQueries < tally.ranQueries / 4, "\(tally)")
  }
}
