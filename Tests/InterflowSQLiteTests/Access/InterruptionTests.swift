import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// How work that has been cancelled is ended, and no other.
@Suite struct InterruptionTests {
  /// Opened when the task has been cancelled that has called the function.
  private struct Cancellation {
    let isCalled = Signal()
    let isCancelled = Latch()
  }

  /// A database whose SQL can wait for a cancellation.
  private func database(_ cancellation: Cancellation) async throws -> Database {
    var options = DatabaseOptions()
    options.prepare = { db in
      try db.addFunction("cancelled", argumentCount: 0, isDeterministic: false) { _ in
        cancellation.isCalled.fire()
        cancellation.isCancelled.wait()
        return 0
      }
    }
    let database = Database.inMemory(options: options)
    try await database.write { db in
      try db.execute(sql: Picture.schema)
      for id in 0..<1_000 { try db.insert(Picture(id, "a")) }
    }
    return database
  }

  /// Fewer instructions than those after which the progress handler is called, so that only an interrupt ends it.
  @Test(arguments: [true, false]) func oneInstructionIsEnded(isWrite: Bool) async throws {
    let cancellation = Cancellation()
    let database = try await database(cancellation)
    let log = Shared<[Int?]>([])
    @Sendable func work(_ db: DatabaseConnection) throws {
      let count = try db.fetchOne(Int.self, sql: "SELECT (SELECT cancelled()) + (SELECT count(*) FROM picture)")
      log.update { $0.append(count) }
    }
    let task = Task {
      if isWrite { try await database.write { try work($0) } } else { try await database.read { try work($0) } }
    }
    await cancellation.isCalled.wait()
    task.cancel()
    cancellation.isCancelled.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(log.value == [])
    // And the next one is not.
    #expect(try await database.read { try $0.pictures().count } == 1_000)
    await database.close()
  }

  @Test func noStatementBeginsAfterACancellation() async throws {
    let database = try await memory()
    let hasBegun = Signal()
    let isCancelled = Latch()
    let log = Shared<[String]>([])
    let task = Task {
      try await database.read { db in
        hasBegun.fire()
        isCancelled.wait()
        do { try db.execute(sql: "SELECT 1") } catch { log.update { $0.append("refused") } }
      }
    }
    await hasBegun.wait()
    task.cancel()
    isCancelled.open()
    _ = await task.result
    #expect(log.value == ["refused"])
  }

  @Test func aLoopOfStatementsIsEnded() async throws {
    let database = try await memory()
    try await database.write { db in
      for id in 0..<3_000 { try db.insert(Picture(id, String(repeating: "x", count: 900))) }
    }
    let hasBegun = Signal()
    let task = Task {
      try await database.read { db in
        hasBegun.fire()
        while true { try db.execute(sql: "PRAGMA integrity_check") }
      }
    }
    await hasBegun.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await database.read { try $0.fetchOne(String.self, sql: "PRAGMA integrity_check") } == "ok")
  }

  @Test func aCommitThatWaitsForALockIsRolledBack() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      var options = DatabaseOptions()
      options.journalMode = .rollback
      options.busyTimeout = .seconds(60)
      let other = try await Database(path: path, options: options)
      try await other.write { try $0.execute(sql: Picture.schema) }
      let attempts = Signal()
      let isCancelled = Latch()
      let proceed = Latch()
      options.waitsForLock = {
        attempts.fire()
        // One that waits again gets the lock.
        if attempts.count == 1 { isCancelled.wait() } else { proceed.open() }
      }
      let database = try await Database(path: path, options: options)
      let hasRead = Signal()
      let read = Task {
        try await other.read { db in
          let count = try db.pictures().count
          hasRead.fire()
          proceed.wait()
          return count
        }
      }
      await hasRead.wait()
      let write = Task { try await database.write { try $0.insert(Picture(1, "a")) } }
      await attempts.wait()
      write.cancel()
      isCancelled.open()
      // While the lock is still held.
      await #expect(throws: CancellationError.self) { try await write.value }
      proceed.open()
      #expect(attempts.count == 1)
      #expect(try await read.value == 0)
      #expect(try await other.read { try $0.pictures() } == [])
      try await database.write { try $0.insert(Picture(2, "b")) }
      await database.close()
      await other.close()
    }
  }

  /// A cancellation that comes late meets a connection that others use.
  @Test func whatFollowsIsNeverEnded() async throws {
    let database = try await memory()
    try await database.write { db in for id in 0..<200 { try db.insert(Picture(id, "a")) } }
    for _ in 0..<500 {
      let task = Task { try await database.read { try $0.pictures().count } }
      let others = Task { try await database.write { db in try db.pictures().count } }
      task.cancel()
      _ = await task.result
      #expect(try await others.value == 200)
      #expect(try await database.read { try $0.pictures().count } == 200)
    }
  }

  /// The interrupt is repeated as long as the work has the connection, and no longer.
  @Test func aConnectionThatIsGivenBackIsNotInterrupted() throws {
    let connection = try DatabaseConnection(
      ConnectionConfiguration(location: .memory, options: DatabaseOptions(), isWriter: true), Interruption())
    let interruption = Interruption()
    connection.interruption = interruption
    interruption.set()
    #expect(throws: DatabaseError.self) { try connection.read { try $0.execute(sql: "SELECT 1") } }
    connection.interruption = nil
    let kept = Interruption()
    connection.interruption = kept
    for _ in 0..<1_000 {
      interruption.set()
      try connection.internalExecute("SELECT count(*) FROM sqlite_master")
    }
    // One that is set before it has the connection counts as well.
    connection.interruption = interruption
    #expect(throws: DatabaseError.self) { try connection.read { try $0.execute(sql: "SELECT 1") } }
  }
}
