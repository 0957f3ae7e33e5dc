import BenchmarkKit
import Combine
import Dispatch
import InterflowSQLite
import Synchronization

private let pictureCount = 100_000
// Made by the run that does not count.
private let pictures = Pictures(count: pictureCount)

let databaseScenarios = insertionScenarios + fetchScenarios + statementScenarios + latencyScenarios

// MARK: Insertions

private func insertionInC(_ path: String, _ count: Int, perTransaction: Int) -> Int {
  let database = CDatabase(path)
  database.execute(Picture.schema.text)
  let insertion = database.prepare(Picture.insertion.text)
  let begin = database.prepare("BEGIN IMMEDIATE")
  let commit = database.prepare("COMMIT")
  for start in stride(from: 0, to: count, by: perTransaction) {
    begin.run()
    for id in start..<min(start + perTransaction, count) { insertion.insert(Picture(id)) }
    commit.run()
  }
  return database.integer(Picture.count.text)
}

private func insertion(_ database: Database, _ count: Int, perTransaction: Int) -> Int {
  try! database.write { try $0.execute(sql: Picture.schema) }
  for start in stride(from: 0, to: count, by: perTransaction) {
    try! database.write { db in
      for id in start..<min(start + perTransaction, count) { try db.insert(Picture(id)) }
    }
  }
  return try! database.read { try $0.fetchOne(Int.self, sql: Picture.count) ?? 0 }
}

private let insertionScenarios = [
  Scenario(
    "SQLite: insert in one transaction, C", group: "SQLite", count: 20_000,
    work: .synchronous { count in withDatabaseFile { insertionInC($0, count, perTransaction: count) } },
    expected: { $0 }),
  Scenario(
    "SQLite: insert in one transaction", group: "SQLite", count: 20_000,
    work: .synchronous { count in
      withDatabaseFile { insertion(try! Database(path: $0), count, perTransaction: count) }
    }, expected: { $0 }),
  // Each waits for the disk.
  Scenario(
    "SQLite: insert in a transaction each, file, C", group: "SQLite", unit: .nanosecondsPerOperation, count: 50,
    work: .synchronous { count in withDatabaseFile { insertionInC($0, count, perTransaction: 1) } },
    expected: { $0 }),
  Scenario(
    "SQLite: insert in a transaction each, file", group: "SQLite", unit: .nanosecondsPerOperation, count: 50,
    work: .synchronous { count in withDatabaseFile { insertion(try! Database(path: $0), count, perTransaction: 1) } },
    expected: { $0 }),
  Scenario(
    "SQLite: insert in a transaction each, memory, C", group: "SQLite", unit: .nanosecondsPerOperation, count: 10_000,
    work: .synchronous { count in insertionInC(":memory:", count, perTransaction: 1) }, expected: { $0 }),
  Scenario(
    "SQLite: insert in a transaction each, memory", group: "SQLite", unit: .nanosecondsPerOperation, count: 10_000,
    work: .synchronous { count in insertion(.inMemory(), count, perTransaction: 1) }, expected: { $0 }),
  Scenario(
    "SQLite: insert in a transaction each, memory, await", group: "SQLite", unit: .nanosecondsPerOperation,
    count: 10_000,
    work: .asynchronous { count in
      let database = Database.inMemory()
      try! await database.write { try $0.execute(sql: Picture.schema) }
      for id in 0..<count { try! await database.write { try $0.insert(Picture(id)) } }
      return try! await database.read { try $0.fetchOne(Int.self, sql: Picture.count) ?? 0 }
    }, expected: { $0 }),
]

// MARK: Fetching

@Sendable private func expectedChecksum(_ count: Int) -> Int {
  var sum = 0
  for id in 0..<count { sum &+= Picture(id).checksum }
  return sum
}

private let fetchScenarios = [
  Scenario(
    "SQLite: fetch 100,000 rows, C, raw", group: "SQLite", count: pictureCount,
    work: .synchronous { count in
      let statement = pictures.reference.prepare("\(Picture.all) LIMIT \(count)")
      var sum = 0
      while statement.step() {
        sum &+= Int(statement.integer(0)) &+ statement.text(1).utf8.count &+ Int(statement.real(2))
      }
      return sum
    }, expected: expectedChecksum),
  Scenario(
    "SQLite: fetch 100,000 rows, raw", group: "SQLite", count: pictureCount,
    relativeGoal: .init(to: "SQLite: fetch 100,000 rows, C, raw", times: 1.3),
    work: .synchronous { count in
      try! pictures.database.read { db in
        let rows = try db.fetchCursor(sql: "\(Picture.all) LIMIT \(count)")
        var sum = 0
        while let row = try rows.next() {
          sum &+= Int(row.integer(0) ?? 0) &+ (row.text(1) ?? "").utf8.count &+ Int(row.real(2) ?? 0)
        }
        return sum
      }
    }, expected: expectedChecksum),
  Scenario(
    "SQLite: fetch 100,000 rows, C, array of structures", group: "SQLite", count: pictureCount,
    work: .synchronous { count in
      let statement = pictures.reference.prepare("\(Picture.all) LIMIT \(count)")
      var found: [Picture] = []
      while statement.step() {
        found.append(
          Picture(id: Int(statement.integer(0)), title: statement.text(1), rating: statement.real(2)))
      }
      return found.reduce(0) { $0 &+ $1.checksum }
    }, expected: expectedChecksum),
  Scenario(
    "SQLite: fetch 100,000 rows, Codable", group: "SQLite", count: pictureCount,
    relativeGoal: .init(to: "SQLite: fetch 100,000 rows, C, array of structures", times: 2.5),
    work: .synchronous { count in
      let found = try! pictures.database.read { try $0.fetchAll(Picture.self, sql: "\(Picture.all) LIMIT \(count)") }
      return found.reduce(0) { $0 &+ $1.checksum }
    }, expected: expectedChecksum),
]

// MARK: From the commit to the observer

/// The times from the end of a transaction's closure, before it is committed, to the arrival of the observed value.
private func latencies(_ count: Int) -> [Double] {
  let database = Database.inMemory()
  try! database.write { try $0.execute(sql: Picture.schema) }
  let arrived = DispatchSemaphore(value: 0)
  let arrival = Mutex(ContinuousClock.now)
  let cancellable = database.observe { try $0.fetchOne(Int.self, sql: Picture.count) ?? 0 }.publisher
    .sink { _ in
    } receiveValue: { _ in
      arrival.withLock { $0 = .now }
      arrived.signal()
    }
  arrived.wait()
  let latencies = (0..<count).map { id in
    let start = try! database.write { db in
      try db.insert(Picture(id))
      return ContinuousClock.now
    }
    arrived.wait()
    return arrival.withLock { start.duration(to: $0).nanoseconds }
  }
  cancellable.cancel()
  return latencies
}

/// The times for the same commit and the same query, without anybody who observes.
private func latenciesInC(_ count: Int) -> [Double] {
  let database = CDatabase()
  database.execute(Picture.schema.text)
  let insertion = database.prepare(Picture.insertion.text)
  let begin = database.prepare("BEGIN IMMEDIATE")
  let commit = database.prepare("COMMIT")
  return (0..<count).map { id in
    begin.run()
    insertion.insert(Picture(id))
    let start = ContinuousClock.now
    commit.run()
    precondition(database.integer(Picture.count.text) == id + 1)
    return start.duration(to: .now).nanoseconds
  }
}

private func percentile(_ part: Double, of figures: [Double]) -> Double {
  figures.sorted()[Int(Double(figures.count - 1) * part)]
}

private let latencyScenarios = [
  ("median", 0.5), ("99th percentile", 0.99),
].flatMap { name, part in
  [
    Scenario(
      "SQLite: commit and query, C, \(name)", group: "SQLite", unit: .nanosecondsPerOperation, count: 1_000,
      work: .measuring { percentile(part, of: latenciesInC($0)) }, expected: { $0 }),
    Scenario(
      "SQLite: commit to observer, \(name)", group: "SQLite", unit: .nanosecondsPerOperation, count: 1_000,
      work: .measuring { percentile(part, of: latencies($0)) }, expected: { $0 }),
  ]
}

// MARK: Many observers

/// What a commit costs, depending on how many observers there are that it does not concern.
let databaseRows = [
  ScalingRow(
    name: "scaling: observers of tables that a commit does not touch", growth: .perUnit("observer"),
    sizes: [1, 10, 100], goal: 1_000
  ) { size in
    Scenario(
      "\(size) observers", group: "scaling", unit: .nanosecondsPerOperation, count: 5_000,
      work: .measuring { commits($0, observers: size) }, expected: { $0 })
  }
]

private func commits(_ count: Int, observers: Int) -> Double {
  let database = Database.inMemory()
  try! database.write { db in
    try db.execute(sql: Picture.schema)
    for number in 0..<observers { try db.execute(sql: "CREATE TABLE \(SQLIdentifier("other\(number)")) (x)") }
  }
  let arrived = DispatchSemaphore(value: 0)
  let cancellables = (0..<observers).map { number in
    database.observe { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM \(SQLIdentifier("other\(number)"))") ?? 0 }
      .publisher
      .sink { _ in
      } receiveValue: { _ in
        arrived.signal()
      }
  }
  for _ in cancellables { arrived.wait() }
  let start = ContinuousClock.now
  for id in 0..<count { try! database.write { try $0.insert(Picture(id)) } }
  let figure = start.duration(to: .now).nanoseconds / Double(count)
  for cancellable in cancellables { cancellable.cancel() }
  return figure
}
