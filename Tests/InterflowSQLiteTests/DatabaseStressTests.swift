import Combine
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// Four writers and fifty observers on one file.
@Suite struct DatabaseStressTests {
  private static let schema: SQL = """
    CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE event (id INTEGER PRIMARY KEY, writer INTEGER);
    INSERT INTO counter VALUES ('left', 0), ('right', 0), ('all', 0);
    """

  private struct State: Equatable, Sendable {
    var all: Int
    /// Each transaction takes from one what it gives to the other.
    var balance: Int
    var events: Int

    init(_ db: DatabaseConnection) throws {
      all = try db.fetchOne(Int.self, sql: "SELECT value FROM counter WHERE name = 'all'") ?? -1
      balance =
        try db.fetchOne(Int.self, sql: "SELECT sum(value) FROM counter WHERE name IN ('left', 'right')") ?? -1
      events = try db.fetchOne(Int.self, sql: "SELECT count(*) FROM event") ?? -1
    }
  }

  @Sendable private static func transact(_ db: DatabaseConnection, writer: Int, number: Int) throws {
    try db.execute(sql: "UPDATE counter SET value = value + ? WHERE name = 'left'", arguments: [number])
    try db.execute(sql: "INSERT INTO event (writer) VALUES (?)", arguments: [writer])
    try db.execute(sql: "UPDATE counter SET value = value - ? WHERE name = 'right'", arguments: [number])
    try db.execute(sql: "UPDATE counter SET value = value + 1 WHERE name = 'all'")
    // Every seventh is taken back.
    if number % 7 == 6 { throw TestError() }
  }

  /// Runs the writers, each with so many transactions.
  private func write(_ database: Database, transactions: Int) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 0..<4 {
        group.addTask {
          var committed = 0
          for number in 0..<transactions {
            do {
              try await database.write { try Self.transact($0, writer: writer, number: number) }
              committed += 1
            } catch is TestError {}
          }
          return committed
        }
      }
      return try await group.reduce(0, +)
    }
  }

  /// Holds a write open among all the others until reads have ended.
  private func readWhileWritesAreOpen(_ database: Database, rounds: Int) async throws {
    for _ in 0..<rounds {
      let isOpen = Signal()
      let haveRead = Latch()
      let write = Task {
        try await database.write { db in
          try db.execute(sql: "UPDATE counter SET value = value + 1000000 WHERE name = 'left'")
          isOpen.fire()
          let isInTime = haveRead.wait()
          try db.execute(sql: "UPDATE counter SET value = value - 1000000 WHERE name = 'left'")
          return isInTime
        }
      }
      await isOpen.wait()
      // More than there are connections, beside the queries of the observers.
      let reads = (0..<10).map { _ in Task { try await database.read { try State($0) } } }
      var balances: [Int] = []
      for read in reads { balances.append(try await read.value.balance) }
      haveRead.open()
      #expect(try await write.value)
      #expect(balances.allSatisfy { $0 == 0 }, "what is not committed is not seen")
    }
  }

  @Test(arguments: [true, false]) func everyObserverEndsOnTheFinalState(isInMemory: Bool) async throws {
    let transactions = max(10, stressRuns / 10)
    try await withFolder { folder in
      let database = isInMemory ? .inMemory() : try await Database(path: folder + "/a.sqlite")
      try await database.write { try $0.execute(sql: Self.schema) }
      let query = database.observe { try State($0) }
      let observers = (0..<50).map { number in
        // Some have demand without limit, and some request the next when they have one.
        SerialProbe<State, DatabaseError>(
          demand: number % 2 == 0 ? .unlimited : .max(1), more: number % 2 == 0 ? .none : .max(1))
      }
      for (number, observer) in observers.enumerated() {
        if number % 3 == 0 { query.publisher.subscribe(observer) }
        if number % 3 == 1 { query.removeDuplicates().publisher.subscribe(observer) }
      }
      let committed = Task { try await write(database, transactions: transactions) }
      if !isInMemory { try await readWhileWritesAreOpen(database, rounds: max(2, transactions / 20)) }
      // The others begin while writers run.
      for (number, observer) in observers.enumerated() where number % 3 == 2 { query.publisher.subscribe(observer) }
      let count = try await committed.value
      for observer in observers { await until { observer.values.last?.all == count } }
      for observer in observers {
        #expect(observer.violations == 0)
        #expect(observer.values.allSatisfy { $0.balance == 0 && $0.all == $0.events })
        #expect(
          observer.values.map(\.all) == observer.values.map(\.all).sorted(), "a state was older than the one before")
      }
      await database.close()
      for observer in observers { await until { observer.completions == 1 } }
    }
  }

  @Test func asyncLoopsEndOnTheFinalState() async throws {
    let transactions = max(10, stressRuns / 20)
    let final = 4 * (transactions - transactions / 7)
    try await withFolder { folder in
      let database = try await Database(path: folder + "/a.sqlite")
      try await database.write { try $0.execute(sql: Self.schema) }
      let query = database.observe { try State($0) }
      let loops = (0..<20).map { _ in
        Task { () -> State? in
          for try await state in query.values where state.all >= final { return state }
          return nil
        }
      }
      #expect(try await write(database, transactions: transactions) == final)
      for loop in loops { #expect(try await loop.value?.events == final) }
      await database.close()
    }
  }

  @Test func closingWhileEverythingRunsIsClean() async throws {
    for round in 0..<max(5, stressRuns / 100) {
      try await withFolder { folder in
        let path = folder + "/a.sqlite"
        let database = try await Database(path: path)
        try await database.write { try $0.execute(sql: Self.schema) }
        let query = database.observe { try State($0) }
        let observers = (0..<50).map { _ in SerialProbe<State, DatabaseError>() }
        for observer in observers { query.publisher.subscribe(observer) }
        let begun = Signal()
        let writers = (0..<4).map { writer in
          Task {
            var committed = 0
            do {
              for number in 0... {
                do {
                  try await database.write { try Self.transact($0, writer: writer, number: number) }
                  committed += 1
                } catch is TestError {}
                begun.fire()
              }
            } catch let error as DatabaseError {
              #expect(error.kind == .closed)
            }
            return committed
          }
        }
        let readers = (0..<4).map { _ in
          Task {
            do { while true { _ = try await database.read { try State($0) } } } catch {
              #expect((error as? DatabaseError)?.kind == .closed)
            }
          }
        }
        await begun.wait(1 + round)
        await database.close()
        var committed = 0
        for writer in writers { committed += try await writer.value }
        for reader in readers { await reader.value }
        for observer in observers {
          await until { observer.completions == 1 }
          #expect(observer.violations == 0)
        }
        let again = try await Database(path: path)
        let state = try await again.read { try State($0) }
        #expect(state.all == committed, "a transaction that was reported is there, and no other")
        #expect(try await again.read { try $0.fetchOne(String.self, sql: "PRAGMA integrity_check") } == "ok")
        await again.close()
      }
    }
  }

  @Test func cancellingWhileEverythingRunsIsClean() async throws {
    for seed in 0..<max(5, stressRuns / 50) {
      try await withFolder { folder in
        let database = try await Database(path: folder + "/a.sqlite")
        try await database.write { try $0.execute(sql: Self.schema) }
        var random = Random(UInt64(seed))
        let tasks = (0..<20).map { number in
          Task {
            switch number % 3 {
            case 0: try await database.write { try Self.transact($0, writer: number, number: 1) }
            case 1: _ = try await database.read { try State($0) }
            default: for try await state in database.observe({ try State($0) }).values where state.all < 0 { return }
            }
          }
        }
        for _ in 0..<Int.random(in: 0..<20, using: &random) { await Task.yield() }
        for task in tasks.shuffled(using: &random) { task.cancel() }
        for task in tasks { _ = await task.result }
        let state = try await database.read { try State($0) }
        #expect(state.balance == 0 && state.all == state.events)
        await until { database.observations.count == 0 }
        await database.close()
      }
    }
  }
}
