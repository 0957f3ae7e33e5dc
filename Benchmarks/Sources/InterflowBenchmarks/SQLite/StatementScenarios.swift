import BenchmarkKit
import Combine
import Dispatch
import InterflowSQLite

private let pictureCount = 100_000
// Made by the run that does not count.
private let pictures = Pictures(count: pictureCount)

let statementScenarios = columnScenarios + distinctScenarios + readScenarios

// MARK: One column

@Sendable private func expectedLengths(_ count: Int) -> Int {
  (0..<count).reduce(0) { $0 &+ Picture($1).title.utf8.count }
}

private let columnScenarios = [
  Scenario(
    "SQLite: fetch 100,000 numbers, C", group: "SQLite", count: pictureCount,
    work: .synchronous { count in
      let statement = pictures.reference.prepare("SELECT id FROM picture LIMIT \(count)")
      var found: [Int] = []
      while statement.step() { found.append(Int(statement.integer(0))) }
      return found.reduce(0, &+)
    }, expected: { ($0 - 1) * $0 / 2 }),
  Scenario(
    "SQLite: fetch 100,000 numbers", group: "SQLite", count: pictureCount,
    work: .synchronous { count in
      try! pictures.database.read { db in
        try db.fetchAll(Int.self, sql: "SELECT id FROM picture LIMIT \(count)").reduce(0, &+)
      }
    }, expected: { ($0 - 1) * $0 / 2 }),
  Scenario(
    "SQLite: fetch 100,000 texts, C", group: "SQLite", count: pictureCount,
    work: .synchronous { count in
      let statement = pictures.reference.prepare("SELECT title FROM picture LIMIT \(count)")
      var found: [String] = []
      while statement.step() { found.append(statement.text(0)) }
      return found.reduce(0) { $0 &+ $1.utf8.count }
    }, expected: expectedLengths),
  Scenario(
    "SQLite: fetch 100,000 texts", group: "SQLite", count: pictureCount,
    work: .synchronous { count in
      try! pictures.database.read { db in
        try db.fetchAll(String.self, sql: "SELECT title FROM picture LIMIT \(count)")
          .reduce(0) { $0 &+ $1.utf8.count }
      }
    }, expected: expectedLengths),
]

// MARK: Statements that differ

/// Without parameters, as programs that put values into their SQL have them.
@Sendable private func sql(_ id: Int) -> String { "SELECT id FROM picture WHERE id = \(id) AND rating >= 0" }

private let distinctScenarios = [
  Scenario(
    "SQLite: 20,000 distinct statements, C", group: "SQLite", unit: .nanosecondsPerOperation, count: 20_000,
    work: .synchronous { count in
      (0..<count).reduce(0) { $0 &+ pictures.reference.integer(sql($1)) }
    }, expected: { ($0 - 1) * $0 / 2 }),
  Scenario(
    "SQLite: 20,000 distinct statements", group: "SQLite", unit: .nanosecondsPerOperation, count: 20_000,
    work: .synchronous { count in
      try! pictures.database.read { db in
        try (0..<count).reduce(0) { $0 &+ (try db.fetchOne(Int.self, sql: SQL(verbatim: sql($1))) ?? 0) }
      }
    }, expected: { ($0 - 1) * $0 / 2 }),
  Scenario(
    "SQLite: 20,000 distinct statements, observed", group: "SQLite", unit: .nanosecondsPerOperation, count: 20_000,
    work: .measuring { observedStatements(runs: 1, statements: $0) }, expected: { $0 }),
  Scenario(
    "SQLite: 500 distinct statements, observed 40 times", group: "SQLite", unit: .nanosecondsPerOperation,
    count: 20_000, work: .measuring { observedStatements(runs: max(1, $0 / 500), statements: 500) },
    expected: { $0 }),
]

/// What a statement of an observed query with many costs.
private func observedStatements(runs: Int, statements: Int) -> Double {
  let database = Database.inMemory()
  try! database.write { db in
    try db.execute(sql: Picture.schema)
    for id in 0..<100 { try db.insert(Picture(id)) }
  }
  let arrived = DispatchSemaphore(value: 0)
  let start = ContinuousClock.now
  let cancellable = database.observe { db in
    try (0..<statements).reduce(0) { $0 &+ (try db.fetchOne(Int.self, sql: SQL(verbatim: sql($1))) ?? 0) }
  }.publisher.sink { _ in
  } receiveValue: { _ in
    arrived.signal()
  }
  arrived.wait()
  for _ in 1..<max(runs, 2) where runs > 1 {
    try! database.write { try $0.execute(sql: "UPDATE picture SET rating = rating + 1 WHERE id = 1") }
    arrived.wait()
  }
  cancellable.cancel()
  return start.duration(to: .now).nanoseconds / Double(runs * statements)
}

// MARK: One read

private let readScenarios = [
  Scenario(
    "SQLite: a read of one row, C", group: "SQLite", unit: .nanosecondsPerOperation, count: 20_000,
    work: .synchronous { count in
      let begin = pictures.reference.prepare("BEGIN")
      let commit = pictures.reference.prepare("COMMIT")
      let statement = pictures.reference.prepare("SELECT id FROM picture WHERE id = ?")
      var sum = 0
      for id in 0..<count {
        begin.run()
        statement.bind(id, at: 1)
        if statement.step() { sum &+= Int(statement.integer(0)) }
        statement.reset()
        commit.run()
      }
      return sum
    }, expected: { ($0 - 1) * $0 / 2 }),
  Scenario(
    "SQLite: a read of one row", group: "SQLite", unit: .nanosecondsPerOperation, count: 20_000,
    work: .synchronous { count in
      (0..<count).reduce(0) { sum, id in
        let found = try! pictures.database.read { db in
          try db.fetchOne(Int.self, sql: "SELECT id FROM picture WHERE id = ?", arguments: [id])
        }
        return sum &+ (found ?? 0)
      }
    }, expected: { ($0 - 1) * $0 / 2 }),
]
