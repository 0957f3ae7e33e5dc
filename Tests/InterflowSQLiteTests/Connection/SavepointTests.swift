import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

@Suite struct SavepointTests {
  @Test func anErrorRollsBackWhatTheSavepointHasDoneAlone() async throws {
    let database = try await memory()
    try await database.write { db in
      try db.insert(Picture(1, "before"))
      #expect(throws: TestError.self) {
        try db.savepoint {
          try db.insert(Picture(2, "inside"))
          throw TestError()
        }
      }
      try db.insert(Picture(3, "after"))
      let result = try db.savepoint {
        try db.insert(Picture(4, "kept"))
        return "result"
      }
      #expect(result == "result")
    }
    #expect(try await database.read { try $0.pictures() }.map(\.id) == [1, 3, 4])
  }

  @Test func savepointsAreNested() async throws {
    let database = try await memory()
    try await database.write { db in
      try db.savepoint {
        try db.insert(Picture(1, "outer"))
        try? db.savepoint {
          try db.insert(Picture(2, "inner"))
          try db.savepoint { try db.insert(Picture(3, "innermost, kept, but a part of the inner one")) }
          throw TestError()
        }
        try db.savepoint { try db.insert(Picture(4, "inner")) }
      }
    }
    #expect(try await database.read { try $0.pictures() }.map(\.id) == [1, 4])
  }

  @Test func anErrorOfAStatementRollsBack() async throws {
    let database = try await memory()
    try await database.write { db in
      try db.insert(Picture(1, "a"))
      let error = #expect(throws: DatabaseError.self) {
        try db.savepoint {
          try db.insert(Picture(2, "b"))
          try db.insert(Picture(1, "again"))
        }
      }
      #expect(error?.kind == .constraint)
    }
    #expect(try await database.read { try $0.pictures() } == [Picture(1, "a")])
  }

  @Test func nothingRunsAfterTheWholeTransactionHasBeenRolledBack() async throws {
    let database = try await memory()
    let error = await databaseError {
      try await database.write { db in
        try db.insert(Picture(1, "a"))
        try? db.savepoint {
          try? db.execute(sql: "INSERT OR ROLLBACK INTO picture VALUES (1, 'b', NULL)")
          try db.insert(Picture(2, "c"))
        }
        try db.savepoint { try db.insert(Picture(3, "d")) }
      }
    }
    #expect(error?.message == "the transaction has been rolled back")
    #expect(try await database.read { try $0.pictures() } == [])
  }

  @Test func aCancelledSavepointLeavesAConnectionThatWorks() async throws {
    let database = try await memory()
    let hasInserted = Signal()
    let log = Shared<[String]>([])
    let task = Task {
      try await database.write { db in
        do {
          try db.savepoint {
            try db.insert(Picture(1, "a"))
            hasInserted.fire()
            _ = try db.fetchOne(Int.self, sql: endlessQuery)
          }
        } catch {
          log.update { $0.append("ended") }
        }
        // What is cancelled does not go on.
        try db.insert(Picture(2, "b"))
        log.update { $0.append("went on") }
      }
    }
    await hasInserted.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(log.value == ["ended"])
    try await database.write { db in try db.savepoint { try db.insert(Picture(3, "c")) } }
    #expect(try await database.read { try $0.pictures() }.map(\.id) == [3])
  }

  @Test func observationsSeeOnlyWhatIsCommitted() async throws {
    try await withFile { database in
      let recorder = RecordingSubscriber<[Int], DatabaseError>()
      let arrivals = Signal()
      recorder.onValue = { _ in arrivals.fire() }
      database.observe { try $0.pictures().map(\.id) }.publisher.subscribe(recorder)
      await arrivals.wait(1)
      try await database.write { db in
        try? db.savepoint {
          try db.insert(Picture(1, "a"))
          throw TestError()
        }
        try db.savepoint { try db.insert(Picture(2, "b")) }
      }
      await arrivals.wait(2)
      recorder.cancel()
      #expect(recorder.values == [[], [2]])
    }
  }

  @Test func aSavepointBelongsToItsAccess() async throws {
    let database = try await memory()
    let kept = Shared<UncheckedBox<DatabaseConnection>?>(nil)
    try await database.write { db in kept.value = UncheckedBox(db) }
    let connection = try #require(kept.value?.value)
    let error = #expect(throws: DatabaseError.self) { try connection.savepoint {} }
    #expect(error?.kind == .misuse)
  }

  // MARK: Statements that have not ended

  private static let insertion: SQL = "INSERT INTO picture VALUES (2, 'b', NULL), (3, 'c', NULL) RETURNING id"

  /// SQLite could not end the inner savepoint beside the cursor, and the outer one would be rolled back to that.
  @Test func anOuterSavepointIsUndoneAfterOneThatACursorHasKeptOpen() async throws {
    let database = try await memory()
    try await database.write { db in
      try? db.savepoint {
        try db.insert(Picture(1, "a"))
        var rows: RowCursor? = try db.fetchCursor(sql: Self.insertion)
        try? db.savepoint {
          _ = try rows?.next()
          throw TestError()
        }
        rows = nil
        throw TestError()
      }
    }
    #expect(try await database.read { try $0.pictures() } == [])
  }

  /// To go on would mean to insert its rows again.
  @Test func aCursorEndsWithTheSavepointThatItHasWrittenIn() async throws {
    let database = try await memory()
    try await database.write { db in
      let rows = try db.fetchCursor(sql: Self.insertion)
      try? db.savepoint {
        _ = try rows.next()
        throw TestError()
      }
      let error = #expect(throws: DatabaseError.self) { try rows.next() }
      #expect(error?.kind == .other)
      #expect(error?.message.contains("rolled back") == true)
      let end = try rows.next()
      #expect(end == nil)
      // The statement runs as before.
      try db.savepoint {
        let ids = try db.fetchAll(Int.self, sql: Self.insertion)
        #expect(ids == [2, 3])
      }
    }
    #expect(try await database.read { try $0.pictures().map(\.id) } == [2, 3])
  }

  @Test(arguments: [true, false]) func aSavepointDoesNotEndBesideTheWriteOfACursor(isTransaction: Bool) async throws {
    let database = try await memory()
    @Sendable func insert(_ db: DatabaseConnection) throws {
      let rows = try db.fetchCursor(sql: Self.insertion)
      let error = #expect(throws: DatabaseError.self) {
        try db.savepoint {
          try db.insert(Picture(1, "a"))
          _ = try rows.next()
        }
      }
      #expect(error?.kind == .misuse)
      #expect(error?.message.contains("take all rows of its cursor before") == true)
      try db.savepoint { try db.insert(Picture(4, "d")) }
    }
    if isTransaction {
      try await database.write { try insert($0) }
    } else {
      try await database.writeWithoutTransaction { try insert($0) }
    }
    #expect(try await database.read { try $0.pictures().map(\.id) } == [4])
  }

  @Test func whatCannotBeUndoneIsNotCommitted() async throws {
    let database = try await memory()
    let error = await databaseError {
      try await database.write { db in
        try? db.savepoint {
          try db.insert(Picture(1, "a"))
          try db.transact("RELEASE interflow")
          throw TestError()
        }
      }
    }
    #expect(error?.message == "the transaction has been rolled back")
    #expect(try await database.read { try $0.pictures() } == [])
  }

  @Test func aSavepointIsRefusedBesideTheWriteOfACursor() async throws {
    let database = try await memory()
    try await database.write { db in
      let rows = try db.fetchCursor(sql: Self.insertion)
      _ = try rows.next()
      let error = #expect(throws: DatabaseError.self) { try db.savepoint { Issue.record("it has begun") } }
      #expect(error?.kind == .misuse)
      #expect(error?.message.contains("take all rows of its cursor before") == true)
      while try rows.next() != nil {}
      try db.savepoint { try db.insert(Picture(4, "d")) }
    }
    #expect(try await database.read { try $0.pictures().map(\.id) } == [2, 3, 4])
  }
}
