import InterflowSQLite
import InterflowTestSupport
import InterflowTesting
import Testing

/// Observations of a database that another process changes.
@Suite struct OtherProcessTests {
  private static let count = 30

  private func withWriter(_ body: (Database, ChildProcess) async throws -> Void) async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let database = try await Database(path: path)
      try await database.write { try $0.execute(sql: "CREATE TABLE state (value); INSERT INTO state VALUES (0)") }
      let writer = try ChildProcess(built: "DatabaseWriter", "commanded", path)
      do { try await body(database, writer) } catch { Issue.record(error) }
      try writer.closeInput()
      #expect(writer.wait() == .exited(0))
      await database.close()
    }
  }

  private func observe(_ database: Database, _ clock: TestClock) -> ObservedQuery<Int> {
    database.observe(includingOtherProcesses: .milliseconds(200), clock: clock) { db in
      try db.fetchOne(Int.self, sql: "SELECT value FROM state") ?? -2
    }
  }

  /// Lets the process commit several transactions, and then the time of a look pass.
  ///
  /// - Returns: The last number that was committed.
  private func commit(
    _ numbers: ClosedRange<Int>, _ writer: ChildProcess, _ reports: inout AsyncStream<Int>.Iterator,
    _ clock: TestClock
  ) async throws -> Int {
    await clock.waitForSleepers(1)
    for number in numbers {
      try writer.write("\(number)\n")
      try #require(await reports.next() == number)
    }
    await clock.advance(by: .milliseconds(200))
    return numbers.upperBound
  }

  @Test func thePublisherDeliversTheStateAfterEachCommit() async throws {
    try await withWriter { database, writer in
      let clock = TestClock()
      let probe = SerialProbe<Int, DatabaseError>()
      observe(database, clock).publisher.subscribe(probe)
      await until { probe.values.last == 0 }
      var reports = writer.numbers().makeAsyncIterator()
      for number in 1...Self.count {
        let last = try await commit(number...number, writer, &reports, clock)
        await until { probe.values.last == last || Task.isCancelled }
      }
      #expect(probe.values.last == Self.count)
      // A state inside a transaction is -1.
      #expect(probe.values.allSatisfy { $0 >= 0 } && probe.values == probe.values.sorted())
      #expect(probe.violations == 0)
      await database.close()
      await until { probe.completions == 1 }
    }
  }

  @Test func valuesDeliverTheStateAfterEachCommit() async throws {
    try await withWriter { database, writer in
      let clock = TestClock()
      var values = observe(database, clock).values.makeAsyncIterator()
      #expect(try await values.next() == 0)
      var reports = writer.numbers().makeAsyncIterator()
      var seen: [Int] = []
      for number in 1...Self.count {
        let last = try await commit(number...number, writer, &reports, clock)
        while seen.last != last, let value = try await values.next() { seen.append(value) }
      }
      #expect(seen.last == Self.count)
      #expect(seen.allSatisfy { $0 >= 0 } && seen == seen.sorted())
    }
  }

  @Test func ofSeveralCommitsBetweenLooksTheLastStateArrives() async throws {
    try await withWriter { database, writer in
      let clock = TestClock()
      var values = observe(database, clock).removeDuplicates().values.makeAsyncIterator()
      #expect(try await values.next() == 0)
      var reports = writer.numbers().makeAsyncIterator()
      for round in 0..<5 {
        let last = try await commit((round * 6 + 1)...(round * 6 + 6), writer, &reports, clock)
        var value: Int?
        repeat { value = try await values.next() } while value != nil && value != last
        #expect(value == last)
      }
    }
  }
}
