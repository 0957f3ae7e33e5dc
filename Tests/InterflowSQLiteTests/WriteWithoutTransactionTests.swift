import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

@Suite struct WriteWithoutTransactionTests {
  private func withBoth(_ isInMemory: Bool, _ body: (Database) async throws -> Void) async throws {
    if isInMemory { try await body(memory()) } else { try await withFile { try await body($0) } }
  }

  @Test(arguments: [true, false]) func aDatabaseIsVacuumed(isInMemory: Bool) async throws {
    try await withBoth(isInMemory) { database in
      try await database.write { db in
        try db.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(text)")
        for id in 0..<500 { try db.insert(Picture(id, String(repeating: "x", count: 1_000))) }
        try db.execute(sql: "DELETE FROM picture WHERE id > 0")
      }
      let before = try await database.read { try $0.fetchOne(Int.self, sql: "PRAGMA page_count") ?? 0 }
      let error = await databaseError { try await database.write { try $0.execute(sql: "VACUUM") } }
      #expect(error?.kind == .other)
      for _ in 0..<2 { try await database.writeWithoutTransaction { try $0.execute(sql: "VACUUM") } }
      let after = try await database.read { try $0.fetchOne(Int.self, sql: "PRAGMA page_count") ?? 0 }
      #expect(after < before / 2)
      #expect(try await database.read { try $0.pictures().count } == 1)
    }
  }

  @Test func aDatabaseIsVacuumedIntoAFile() async throws {
    try await withFolder { folder in
      let path = folder + "/copy.sqlite"
      let database = try await memory()
      try await database.write { try $0.insert(Picture(1, "a")) }
      try await database.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
      let copy = try await Database(path: path)
      #expect(try await copy.read { try $0.pictures() } == [Picture(1, "a")])
      await copy.close()
    }
  }

  /// Rows without a number of their own may get other ones.
  @Test func observationsLearnOfAVacuum() async throws {
    let database = try await memory()
    try await database.write { try $0.execute(sql: "CREATE TABLE a (x)") }
    let written = try await database.writer.run { connection in
      connection.writeWithoutTransaction(OwnCommits()) { try $0.execute(sql: "VACUUM") }.region
    }
    #expect(written.isEverything)
  }

  @Test func eachStatementIsATransaction() async throws {
    try await withFile { database in
      let recorder = RecordingSubscriber<[Int], DatabaseError>()
      let arrivals = Signal()
      recorder.onValue = { _ in arrivals.fire() }
      database.observe { try $0.pictures().map(\.id) }.publisher.subscribe(recorder)
      await arrivals.wait(1)
      let isInserted = Signal()
      let proceed = Latch()
      let write = Task {
        try await database.writeWithoutTransaction { db in
          try db.insert(Picture(1, "a"))
          isInserted.fire()
          proceed.wait()
          try? db.execute(sql: "INSERT OR ROLLBACK INTO picture VALUES (1, 'b', NULL)")
          try db.insert(Picture(2, "c"))
          throw TestError()
        }
      }
      await isInserted.wait()
      let count = try await database.read { try $0.pictures().count }
      #expect(count == 1)
      proceed.open()
      await #expect(throws: TestError.self) { try await write.value }
      // What has been committed stays, and is announced, whatever is thrown.
      await arrivals.wait(2)
      recorder.cancel()
      #expect(recorder.values == [[], [1, 2]])
    }
  }

  /// SQLite repeats the failure of a statement when that is reset.
  @Test func aFailureThatTheClosureHasHandledIsNotThrown() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      var options = DatabaseOptions()
      options.busyTimeout = .zero
      let other = try await Database(path: path, options: options)
      try await other.write { try $0.execute(sql: Picture.schema) }
      let database = try await Database(path: path, options: options)
      let (hasBegun, hasFailed, hasEnded) = (Signal(), Latch(), Latch())
      let write = Task {
        try await other.write { _ in
          hasBegun.fire()
          hasFailed.wait()
        }
        hasEnded.open()
      }
      await hasBegun.wait()
      let failure = try await database.writeWithoutTransaction { db in
        var failure: DatabaseError?
        do { try db.insert(Picture(1, "a")) } catch let error as DatabaseError { failure = error }
        hasFailed.open()
        hasEnded.wait()
        try db.insert(Picture(1, "a"))
        return failure
      }
      try await write.value
      #expect(failure?.kind == .locked)
      #expect(try await database.read { try $0.pictures().map(\.id) } == [1])
      await database.close()
      await other.close()
    }
  }

  @Test func aSavepointIsATransaction() async throws {
    let database = try await memory()
    try await database.writeWithoutTransaction { db in
      #expect(throws: TestError.self) {
        try db.savepoint {
          try db.insert(Picture(1, "a"))
          try db.savepoint { try db.insert(Picture(2, "b")) }
          throw TestError()
        }
      }
      #expect(throws: DatabaseError.self) {
        try db.savepoint {
          try? db.execute(
            sql: "INSERT INTO picture VALUES (3, 'c', NULL); INSERT OR ROLLBACK INTO picture VALUES (3, '', 0)")
          // It is no statement of its own.
          try db.insert(Picture(4, "d"))
        }
      }
      try db.savepoint { try db.insert(Picture(5, "e")) }
    }
    #expect(try await database.read { try $0.pictures().map(\.id) } == [5])
  }

  // MARK: Statements that have not ended

  private static let insertion = "INSERT INTO picture VALUES (1, 'a', NULL), (2, 'b', NULL) RETURNING id"

  /// Rolling back would take with it what the cursor has inserted.
  @Test func aReadLeavesTheWriteOfACursor() async throws {
    try await withFile { database in
      let titles = Shared<[[String]]>([])
      try await database.writeWithoutTransaction { [insertion = Self.insertion] db in
        let rows = try db.fetchCursor(sql: SQL(verbatim: insertion))
        let step1 = try rows.next()?.integer(0)
        #expect(step1 == 1)
        try readBlocking(database) { db in
          let first = try db.pictures().map(\.title)
          titles.update { $0.append(first) }
          #expect(throws: DatabaseError.self) { try db.insert(Picture(3, "c")) }
          let step2 = try rows.next()?.integer(0)
          #expect(step2 == 2)
          let step3 = try rows.next()
          #expect(step3 == nil)
          let second = try db.pictures().map(\.title)
          titles.update { $0.append(second) }
        }
      }
      #expect(titles.value == [["a", "b"], ["a", "b"]])
      #expect(try await database.read { try $0.pictures().map(\.title) } == ["a", "b"])
    }
  }

  /// It would be rolled back with the read.
  @Test func aCursorDoesNotBeginToWriteInARead() async throws {
    let database = try await memory()
    try await database.writeWithoutTransaction { [insertion = Self.insertion] db in
      let rows = try db.fetchCursor(sql: SQL(verbatim: insertion))
      try readBlocking(database) { _ in
        let error = #expect(throws: DatabaseError.self) { _ = try rows.next() }
        #expect(error?.kind == .readOnly)
      }
      let first = try rows.next()?.integer(0)
      #expect(first == 1, "it goes on after the read")
    }
    #expect(try await database.read { try $0.pictures().map(\.id) } == [1, 2])
  }

  @Test func aSavepointIsRefusedBesideTheWriteOfACursor() async throws {
    let database = try await memory()
    try await database.writeWithoutTransaction { [insertion = Self.insertion] db in
      let rows = try db.fetchCursor(sql: SQL(verbatim: insertion))
      let step4 = try rows.next()?.integer(0)
      #expect(step4 == 1)
      let error = #expect(throws: DatabaseError.self) { try db.savepoint { Issue.record("it has begun") } }
      #expect(error?.kind == .misuse)
      let step5 = try rows.next()?.integer(0)
      #expect(step5 == 2)
      let step6 = try rows.next()
      #expect(step6 == nil)
      try db.savepoint { try db.insert(Picture(3, "c")) }
    }
    #expect(try await database.read { try $0.pictures().map(\.id) } == [1, 2, 3])
  }

  /// A cursor that reads goes on after a read, which is rolled back.
  @Test func aReadLeavesTheCursorOfAQuery() async throws {
    let database = try await memory()
    try await database.write { db in for id in 1...3 { try db.insert(Picture(id, "a")) } }
    try await database.writeWithoutTransaction { db in
      let rows = try db.fetchCursor(sql: Picture.all)
      let step7 = try rows.next()?.integer(0)
      #expect(step7 == 1)
      try readBlocking(database) { db in
        let count = try db.pictures().count
        #expect(count == 3)
      }
      let step8 = try rows.next()?.integer(0)
      #expect(step8 == 2)
      try db.insert(Picture(4, "b"))
    }
    #expect(try await database.read { try $0.pictures().count } == 4)
  }

  private func readBlocking(_ database: Database, _ body: (DatabaseConnection) throws -> Void) throws {
    try database.read(body)
  }

  @Test func settingsCanBeChanged() async throws {
    let database = try await memory()
    try await database.write { try $0.execute(sql: "CREATE TABLE star (picture INTEGER REFERENCES picture(id))") }
    try await database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(sql: "INSERT INTO star VALUES (7)")
      try db.execute(sql: "DELETE FROM star; PRAGMA foreign_keys = ON")
    }
    let error = await databaseError { try await database.write { try $0.execute(sql: "INSERT INTO star VALUES (7)") } }
    #expect(error?.kind == .constraint)
  }

  @Test(arguments: ["BEGIN", "COMMIT", "SAVEPOINT a", "ATTACH ':memory:' AS other"])
  func sqlBeginsNoTransaction(sql: String) async throws {
    let database = try await memory()
    let error = await databaseError {
      try await database.writeWithoutTransaction { try $0.execute(sql: SQL(verbatim: sql)) }
    }
    #expect(error?.kind == .misuse)
    #expect(error.map { $0.message.contains("savepoint(_:)") || $0.message.contains("attached") } == true)
    try await database.write { try $0.insert(Picture(1, "a")) }
  }

  @Test func cancellingEndsTheStatementThatRuns() async throws {
    let database = try await memory()
    let hasBegun = Signal()
    let task = Task {
      try await database.writeWithoutTransaction { db in
        try db.insert(Picture(1, "a"))
        hasBegun.fire()
        _ = try db.fetchOne(Int.self, sql: endlessQuery)
      }
    }
    await hasBegun.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await database.read { try $0.pictures().count } == 1)
  }

  @Test func itRunsOnTheCallingThreadInSynchronousCode() async throws {
    let database = try await memory()
    let log = Shared<[Bool]>([])
    onOtherThread {
      let thread = Thread.current
      try? database.writeWithoutTransaction { db in
        try db.execute(sql: "VACUUM")
        log.update { $0.append(Thread.current === thread) }
      }
    }
    #expect(log.value == [true])
  }

  /// A transaction that begins by reading could not write after another connection has.
  @Test func aSavepointHasTheLockOfAWriteFromItsBeginning() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let database = try await Database(path: path)
      var options = DatabaseOptions()
      options.busyTimeout = .zero
      let other = try await Database(path: path, options: options)
      try await database.write { try $0.execute(sql: Picture.schema) }
      try await database.writeWithoutTransaction { db in
        let kind = Shared<DatabaseError.Kind?>(nil)
        @Sendable func writeElsewhere() {
          onOtherThread {
            do {
              kind.value = nil
              try other.write { try $0.insert(Picture(1, "a")) }
            } catch { kind.value = (error as? DatabaseError)?.kind }
          }
        }
        try db.savepoint {
          let before = try db.pictures()
          writeElsewhere()
          #expect(kind.value == .locked)
          #expect(before.isEmpty)
          try db.savepoint { try db.insert(Picture(2, "b")) }
        }
        writeElsewhere()
        #expect(kind.value == nil, "it has been committed")
      }
      #expect(try await database.read { try $0.pictures().map(\.id) } == [1, 2])
      await other.close()
      await database.close()
    }
  }

  @Test func whatFollowsAStatementIsNotCompiled() async throws {
    let database = try await memory()
    try await database.writeWithoutTransaction { db in
      // It would have its effect when it is compiled.
      #expect(throws: DatabaseError.self) { try db.fetchAll(Int.self, sql: "SELECT 1; PRAGMA foreign_keys = OFF") }
      let isOn = try db.fetchOne(Bool.self, sql: "PRAGMA foreign_keys")
      #expect(isOn == true)
    }
  }

  @Test(arguments: [
    ("SELECT 1;\n\t -- a; b", true), ("SELECT 1 ;;/* SELECT 2 */ ; /* no end", true), ("SELECT 1; --\nx", false),
    ("SELECT 1; /* a */ /", false), ("SELECT 1; -", false), ("SELECT 1; /**/", true), ("SELECT 1; /*/ SELECT 2", true),
  ])
  func commentsMayFollowAStatement(sql: String, isOne: Bool) async throws {
    let result = try await Database.inMemory().read { db in try? db.fetchAll(Int.self, sql: SQL(verbatim: sql)) }
    #expect(result == (isOne ? [1] : nil))
  }

  // MARK: Ends that fail

  /// A database in which a star without its picture is refused when it is committed.
  private func withStars() async throws -> Database {
    let database = try await memory()
    try await database.write {
      try $0.execute(sql: "CREATE TABLE star (picture INTEGER REFERENCES picture(id) DEFERRABLE INITIALLY DEFERRED)")
    }
    return database
  }

  private static let star: SQL = "INSERT INTO star VALUES (7), (8) RETURNING picture"

  private func starCount(_ database: Database) async throws -> Int? {
    try await database.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM star") }
  }

  /// The end of the statement is its commit.
  @Test func aRowIsReturnedOnlyIfItsStatementIsCommitted() async throws {
    let database = try await withStars()
    let error = await databaseError {
      try await database.writeWithoutTransaction { try $0.fetchOne(Int.self, sql: Self.star) }
    }
    #expect(error?.kind == .constraint)
    #expect(error?.sql == Self.star.text)
    #expect(try await starCount(database) == 0)
    try await database.write { try $0.insert(Picture(7, "a")) }
    try await database.write { try $0.insert(Picture(8, "b")) }
    let star = try await database.writeWithoutTransaction { try $0.fetchOne(Int.self, sql: Self.star) }
    #expect(star == 7)
    #expect(try await starCount(database) == 2)
  }

  @Test func aCursorThatIsLeftFailsTheAccessIfItsStatementIsNotCommitted() async throws {
    let database = try await withStars()
    let error = await databaseError {
      try await database.writeWithoutTransaction { db in
        _ = try db.fetchCursor(sql: Self.star).next()
        try db.insert(Picture(1, "a"))
      }
    }
    #expect(error?.kind == .constraint)
    #expect(error?.sql == Self.star.text)
    #expect(try await starCount(database) == 0)
    #expect(try await database.read { try $0.pictures().count } == 1)
    // One that ends with the access.
    let kept = await databaseError {
      try await database.writeWithoutTransaction { db in
        let rows = try db.fetchCursor(sql: Self.star)
        _ = try rows.next()
        return UncheckedBox(rows)
      }
    }
    #expect(kept?.kind == .constraint)
    try await database.writeWithoutTransaction { try $0.insert(Picture(2, "b")) }
  }
}
