import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

@Suite struct DatabaseTests {
  // MARK: Values

  @Test(arguments: [true, false]) func whatWasWrittenIsRead(isInMemory: Bool) async throws {
    let pictures = [Picture(1, "Crab Nebula", rating: 4.5), Picture(2, "Horsehead")]
    @Sendable func check(_ database: Database) async throws {
      try await database.write { db in for picture in pictures { try db.insert(picture) } }
      #expect(try await database.read { try $0.pictures() } == pictures)
      #expect(try await database.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM picture") } == 2)
    }
    if isInMemory { try await check(memory()) } else { try await withFile { try await check($0) } }
  }

  @Test func whatWasCommittedIsThereAfterReopening() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let first = try await Database(path: path)
      try await first.write {
        try $0.execute(sql: Picture.schema)
        try $0.insert(Picture(1, "a"))
      }
      await first.close()
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"), "the last connection removes the log")
      let second = try await Database(path: path)
      #expect(try await second.read { try $0.pictures() } == [Picture(1, "a")])
      await second.close()
    }
  }

  @Test func synchronousAccessesRunOnTheCallingThread() async throws {
    try await withFile { database in
      let log = Shared<[String]>([])
      onOtherThread {
        let thread = Thread.current
        do {
          try database.write { db in
            log.update { $0.append("write \(Thread.current === thread)") }
            try db.insert(Picture(1, "a"))
          }
          let count = try database.read { db in
            log.update { $0.append("read \(Thread.current === thread)") }
            return try db.pictures().count
          }
          log.update { $0.append("\(count)") }
        } catch {
          log.update { $0.append("\(error)") }
        }
      }
      #expect(log.value == ["write true", "read true", "1"])
    }
  }

  // MARK: Transactions

  @Test func anErrorRollsBack() async throws {
    let database = try await memory()
    await #expect(throws: TestError.self) {
      try await database.write { db in
        try db.insert(Picture(1, "a"))
        throw TestError()
      }
    }
    #expect(try await database.read { try $0.pictures() } == [])
    try await database.write { try $0.insert(Picture(1, "b")) }
    #expect(try await database.read { try $0.pictures() } == [Picture(1, "b")])
  }

  @Test func aFailureOfTheCommitRollsBack() async throws {
    let database = try await memory()
    try await database.write {
      try $0.execute(
        sql: "CREATE TABLE star (picture INTEGER REFERENCES picture(id) DEFERRABLE INITIALLY DEFERRED)")
    }
    let error = await databaseError {
      try await database.write { try $0.execute(sql: "INSERT INTO star VALUES (7)") }
    }
    #expect(error?.kind == .constraint)
    #expect(try await database.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM star") } == 0)
    try await database.write { try $0.insert(Picture(1, "a")) }
  }

  @Test func nothingRunsAfterSQLiteHasRolledBack() async throws {
    let database = try await memory()
    let error = await databaseError {
      try await database.write { db in
        try db.insert(Picture(1, "a"))
        try? db.execute(sql: "INSERT OR ROLLBACK INTO picture VALUES (1, 'b', NULL)")
        try db.insert(Picture(2, "c"))
      }
    }
    #expect(error?.message == "the transaction has been rolled back")
    #expect(try await database.read { try $0.pictures() } == [])
  }

  @Test func aSwallowedRollbackFailsTheWrite() async throws {
    let database = try await memory()
    let error = await databaseError {
      try await database.write { db in
        try db.insert(Picture(1, "a"))
        try? db.execute(sql: "INSERT OR ROLLBACK INTO picture VALUES (1, 'b', NULL)")
      }
    }
    #expect(error?.message == "the transaction has been rolled back")
    #expect(try await database.read { try $0.pictures() } == [])
  }

  @Test(arguments: [true, false]) func aReadChangesNothing(isInMemory: Bool) async throws {
    @Sendable func check(_ database: Database) async throws {
      let error = await databaseError { try await database.read { try $0.insert(Picture(1, "a")) } }
      #expect(error?.kind == .readOnly)
      try await database.write { try $0.insert(Picture(1, "a")) }
      // The statement is in the cache of the connection that is used for both.
      let other = await databaseError { try await database.read { try $0.insert(Picture(2, "a")) } }
      #expect(other?.kind == .readOnly)
      #expect(try await database.read { try $0.pictures().count } == 1)
    }
    if isInMemory { try await check(memory()) } else { try await withFile { try await check($0) } }
  }

  // MARK: Isolation

  @Test func aReadSeesTheStateOfItsFirstStatement() async throws {
    try await withFile { database in
      let hasBegun = Signal()
      let hasWritten = Latch()
      let ids = Task {
        try await database.read { db in
          hasBegun.fire()
          hasWritten.wait()
          return try db.pictures().map(\.id)
        }
      }
      await hasBegun.wait()
      try await database.write { try $0.insert(Picture(1, "a")) }
      hasWritten.open()
      #expect(try await ids.value == [1])
    }
  }

  @Test func aReadSeesOneStateWhileAWriteCommits() async throws {
    try await withFile { database in
      let hasRead = Signal()
      let hasWritten = Latch()
      let counts = Task {
        try await database.read { db in
          let before = try db.pictures().count
          hasRead.fire()
          hasWritten.wait()
          return [before, try db.pictures().count]
        }
      }
      await hasRead.wait()
      try await database.write { try $0.insert(Picture(1, "a")) }
      hasWritten.open()
      #expect(try await counts.value == [0, 0])
      #expect(try await database.read { try $0.pictures().count } == 1)
    }
  }

  @Test func readsDoNotWaitForAWrite() async throws {
    try await withFile { database in
      let hasInserted = Signal()
      let proceed = Latch()
      let write = Task {
        try await database.write { db in
          try db.insert(Picture(1, "a"))
          hasInserted.fire()
          proceed.wait()
        }
      }
      await hasInserted.wait()
      #expect(try await database.read { try $0.pictures() } == [], "what is not committed is not seen")
      proceed.open()
      try await write.value
      #expect(try await database.read { try $0.pictures().count } == 1)
    }
  }

  @Test func readsOfMemoryWaitForAWrite() async throws {
    let database = try await memory()
    let hasInserted = Signal()
    let proceed = Latch()
    let log = Shared<[String]>([])
    let write = Task {
      try await database.write { db in
        try db.insert(Picture(1, "a"))
        hasInserted.fire()
        proceed.wait()
        log.update { $0.append("written") }
      }
    }
    await hasInserted.wait()
    let read = Task {
      try await database.read { db in
        log.update { $0.append("read") }
        return try db.pictures().count
      }
    }
    await until { database.readers.waiterCount == 1 }
    proceed.open()
    try await write.value
    #expect(try await read.value == 1)
    #expect(log.value == ["written", "read"])
  }

  @Test func waitingWritesKeepNoThreadOfTasks() async throws {
    let database = try await memory()
    let hasBegun = Signal()
    let proceed = Latch()
    let first = Task {
      try await database.write { db in
        hasBegun.fire()
        proceed.wait()
        try db.insert(Picture(0, "first"))
      }
    }
    await hasBegun.wait()
    // More than there are threads; a test that hangs here has found them all blocked.
    let others = (1...100).map { id in Task { try await database.write { try $0.insert(Picture(id, "other")) } } }
    await until { database.writer.waiterCount == 100 }
    proceed.open()
    try await first.value
    for other in others { try await other.value }
    #expect(try await database.read { try $0.pictures().count } == 101)
  }

  // MARK: Cancellation

  @Test func cancellingEndsAStatementAndRollsBack() async throws {
    let database = try await memory()
    let hasInserted = Signal()
    let task = Task {
      try await database.write { db in
        try db.insert(Picture(1, "a"))
        hasInserted.fire()
        _ = try db.fetchOne(Int.self, sql: endlessQuery)
      }
    }
    await hasInserted.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await database.read { try $0.pictures() } == [])
  }

  @Test func cancellingRollsBackWhatTheClosureReturns() async throws {
    let database = try await memory()
    let hasInserted = Signal()
    let proceed = Latch()
    let task = Task {
      try await database.write { db in
        try db.insert(Picture(1, "a"))
        hasInserted.fire()
        proceed.wait()
      }
    }
    await hasInserted.wait()
    task.cancel()
    proceed.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await database.read { try $0.pictures() } == [])
  }

  @Test(arguments: [true, false]) func cancellingDropsWhatAReadReturns(isInMemory: Bool) async throws {
    @Sendable func check(_ database: Database) async throws {
      let hasBegun = Signal()
      let isCancelled = Latch()
      try await database.write { try $0.insert(Picture(1, "a")) }
      let task = Task {
        try await database.read { db in
          hasBegun.fire()
          isCancelled.wait()
          return (try? db.pictures()) ?? []
        }
      }
      await hasBegun.wait()
      task.cancel()
      isCancelled.open()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await database.read { try $0.pictures() } == [Picture(1, "a")])
    }
    if isInMemory { try await check(memory()) } else { try await withFile { try await check($0) } }
  }

  @Test func cancelledWorkDoesNotBegin() async throws {
    let database = try await memory()
    let hasBegun = Signal()
    let proceed = Latch()
    let first = Task {
      try await database.write { db in
        hasBegun.fire()
        proceed.wait()
      }
    }
    await hasBegun.wait()
    let hasRun = Signal()
    let waiting = Task { try await database.write { _ in hasRun.fire() } }
    waiting.cancel()
    // While the first one still has the connection.
    await #expect(throws: CancellationError.self) { try await waiting.value }
    proceed.open()
    try await first.value
    #expect(hasRun.count == 0)
  }

  // MARK: Misuse

  @Test func aConnectionIsOfNoUseAfterItsAccess() async throws {
    let database = try await memory()
    let kept = Shared<UncheckedBox<DatabaseConnection>?>(nil)
    try await database.write { db in kept.value = UncheckedBox(db) }
    let connection = try #require(kept.value?.value)
    #expect(throws: DatabaseError.self) { try connection.execute(sql: "SELECT 1") }
    #expect(throws: DatabaseError.self) { try connection.execute(sql: "SELECT 1; SELECT 2") }
  }

  // MARK: Closing

  @Test func nothingBeginsAfterClosing() async throws {
    try await withFile { database in
      await database.close()
      #expect(await databaseError { try await database.read { _ in } }?.kind == .closed)
      #expect(await databaseError { try await database.write { _ in } }?.kind == .closed)
      await database.close()
    }
  }

  @Test(arguments: [true, false]) func closingInSynchronousCodeWaitsForWorkThatRuns(isInMemory: Bool) async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let database = isInMemory ? .inMemory() : try await Database(path: path)
      let hasBegun = Signal()
      let proceed = Latch()
      let log = Shared<[String]>([])
      let write = Task {
        try await database.write { db in
          hasBegun.fire()
          proceed.wait()
          try db.execute(sql: Picture.schema)
          log.update { $0.append("written") }
        }
      }
      await hasBegun.wait()
      let isClosed = Self.beginClosing(database, log)
      await until { database.writer.isClosed }
      #expect(log.value == [])
      proceed.open()
      try await write.value
      isClosed.wait()
      #expect(log.value == ["written", "closed"])
      #expect(await databaseError { try await database.read { _ in } }?.kind == .closed)
      #expect(isInMemory || !FileManager.default.fileExists(atPath: path + "-wal"))
      // Once more.
      Self.beginClosing(database, log).wait()
    }
  }

  private static func beginClosing(_ database: Database, _ log: Shared<[String]>) -> Latch {
    beginOnOtherThread {
      database.close()
      log.update { $0.append("closed") }
    }
  }

  @Test func closingInsideAnAccessIsAProgrammingError() async throws {
    await #expect(processExitsWith: .failure) {
      let database = Database.inMemory()
      try await database.read { _ in database.close() }
    }
  }

  @Test func closingWaitsForWorkThatRuns() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let database = try await Database(path: path)
      let hasBegun = Signal()
      let proceed = Latch()
      let write = Task {
        try await database.write { db in
          hasBegun.fire()
          proceed.wait()
          try db.execute(sql: Picture.schema)
          try db.insert(Picture(1, "a"))
        }
      }
      await hasBegun.wait()
      let closing = Task { await database.close() }
      await until { database.writer.isClosed }
      let refused = await databaseError { try await database.write { _ in } }
      #expect(refused?.kind == .closed)
      proceed.open()
      try await write.value
      await closing.value
      let again = try await Database(path: path)
      #expect(try await again.read { try $0.pictures().count } == 1)
      await again.close()
    }
  }
}
