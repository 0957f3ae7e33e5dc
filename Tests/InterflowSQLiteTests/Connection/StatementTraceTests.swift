import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// Statements that are reported with their durations.
@Suite struct StatementTraceTests {
  private let events = Shared<[TraceEvent]>([])

  private func options(includesPayloads: Bool = false) -> DatabaseOptions {
    var options = DatabaseOptions()
    let events = events
    options.trace = TraceHook(includesPayloads: includesPayloads) { event in events.update { $0.append(event) } }
    return options
  }

  private func messages(_ kind: TraceEvent.Kind) -> [String] { events.value.filter { $0.kind == kind }.map(\.message) }

  @Test func statementsAndTransactionsAreReportedInOrder() async throws {
    let begin = ContinuousClock.now
    let database = Database.inMemory(options: options())
    try await database.write { db in
      try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
      _ = try db.fetchAll(Int.self, sql: "SELECT a FROM t WHERE a = \(1)")
      try? db.savepoint { throw CancellationError() }
    }
    #expect(
      events.value.map(\.message) == [
        "BEGIN IMMEDIATE", "CREATE TABLE t (a);", "INSERT INTO t VALUES (1)", "SELECT a FROM t WHERE a = ?",
        "SAVEPOINT interflow", "ROLLBACK TO interflow; RELEASE interflow", "COMMIT",
      ])
    #expect(messages(.statement).count == 3)
    for event in events.value {
      #expect(event.source == ":memory:")
      #expect(event.payload == nil)
      #expect(event.error == nil)
      #expect(event.duration > .zero)
      #expect(event.start >= begin)
    }
    let starts = events.value.map(\.start)
    #expect(starts == starts.sorted())
  }

  @Test func valuesAreReportedIfTheyAreAskedFor() async throws {
    let database = Database.inMemory(options: options(includesPayloads: true))
    let bytes: [UInt8] = [1, 2]
    _ = try await database.read { db in
      _ = try db.fetchOne(Int.self, sql: "SELECT \(1), \("it's"), \(nil as Int?), \(2.5), \(bytes)")
      _ = try db.fetchOne(String.self, sql: "SELECT :b, :a", arguments: ["a": 1, "b": "x"])
    }
    #expect(
      events.value.compactMap(\.payload).filter { !$0.isEmpty }
        == ["1, 'it''s', NULL, 2.5, a blob of 2 bytes", "a: 1, b: 'x'"])
  }

  @Test func aStatementThatFailsIsReportedWithItsError() async throws {
    let database = Database.inMemory(options: options())
    _ = await databaseError {
      try await database.write { db in
        try db.execute(sql: "CREATE TABLE t (a PRIMARY KEY)")
        for _ in 0..<2 { try db.execute(sql: "INSERT INTO t VALUES (1)") }
      }
    }
    let errors = events.value.filter { $0.error != nil }
    #expect(errors.map(\.message) == ["INSERT INTO t VALUES (1)"])
    #expect((errors.first?.error as? DatabaseError)?.kind == .constraint)
    #expect(events.value.last?.message == "ROLLBACK")
  }

  @Test func aCursorIsReportedWhenItEnds() async throws {
    let database = Database.inMemory(options: options())
    try await database.read { db in
      let rows = try db.fetchCursor(sql: "VALUES (1), (2)")
      _ = try rows.next()
      #expect(messages(.statement).isEmpty)
      while try rows.next() != nil {}
      #expect(messages(.statement) == ["VALUES (1), (2)"])
      // One that is left at a row ends with the access; one that has not begun has not run.
      _ = try db.fetchCursor(sql: "SELECT 1").next()
      _ = try db.fetchCursor(sql: "SELECT 2")
    }
    #expect(messages(.statement) == ["VALUES (1), (2)", "SELECT 1"])
  }

  @Test func theHookCannotUseTheDatabase() async throws {
    let target = Shared<Database?>(nil)
    let connection = Shared<UncheckedBox<DatabaseConnection>?>(nil)
    let refusals = Shared<[Bool]>([])
    var options = DatabaseOptions()
    options.trace = TraceHook { _ in
      let uses: [() throws -> Void] = [
        { try target.value?.read { try $0.execute(sql: "SELECT 1") } },
        { _ = try target.value?.write { try $0.execute(sql: "SELECT 1") } },
        { try connection.value?.value.execute(sql: "SELECT 1") },
      ]
      guard target.value != nil, connection.value != nil else { return }
      for use in uses {
        do {
          try use()
          refusals.update { $0.append(false) }
        } catch {
          refusals.update { $0.append((error as? DatabaseError)?.kind == .misuse) }
        }
      }
    }
    let database = Database.inMemory(options: options)
    target.value = database
    try await database.write { db in
      connection.value = UncheckedBox(db)
      try db.execute(sql: "SELECT 2")
    }
    try await database.read { try $0.execute(sql: "SELECT 3") }
    target.value = nil
    connection.value = nil
    // The statement and the commit, then a read with its beginning and end.
    #expect(refusals.value == Array(repeating: true, count: 15))
  }

  @Test func whileTheHookIsOffNothingIsMeasured() async throws {
    let isOn = Shared(false)
    var options = DatabaseOptions()
    options.trace = TraceHook(isOn: { isOn.value }) { [events] event in events.update { $0.append(event) } }
    let database = Database.inMemory(options: options)
    try await database.write { db in
      try db.execute(sql: "CREATE TABLE t (a)")
      let rows = try db.fetchCursor(sql: "VALUES (1), (2)")
      _ = try rows.next()
      // What had begun before is not measured.
      isOn.value = true
      while try rows.next() != nil {}
      try db.execute(sql: "INSERT INTO t VALUES (1)")
    }
    #expect(events.value.map(\.message) == ["INSERT INTO t VALUES (1)", "COMMIT"])
  }

  @Test func aFileIsNamedByItsPath() async throws {
    let events = events
    try await withFile(options: options()) { database in
      #expect(events.value.allSatisfy { $0.source.hasSuffix("test.sqlite") && $0.source.hasPrefix("/") })
      #expect(!events.value.isEmpty)
    }
  }
}
