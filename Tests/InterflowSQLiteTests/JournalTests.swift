import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

/// The write-ahead log, and files without one.
@Suite struct JournalTests {
  private static func size(_ path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
  }

  private static func mode(_ database: Database) async throws -> String? {
    try await database.writeWithoutTransaction { try $0.fetchOne(String.self, sql: "PRAGMA journal_mode") }
  }

  private static func fill(_ database: Database, _ ids: Range<Int>) async throws {
    try await database.write { db in
      for id in ids { try db.insert(Picture(id, String(repeating: "x", count: 1_000))) }
    }
  }

  /// Makes a file with the table of pictures and one row.
  private static func make(_ path: String, _ mode: DatabaseOptions.JournalMode) async throws {
    var options = DatabaseOptions()
    options.journalMode = mode
    let database = try await Database(path: path, options: options)
    try await database.write {
      try $0.execute(sql: Picture.schema)
      try $0.insert(Picture(1, "a"))
    }
    await database.close()
  }

  // MARK: Modes

  @Test func aFileWithAJournalForRollingBackIsAlone() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      var options = DatabaseOptions()
      options.journalMode = .rollback
      let database = try await Database(path: path, options: options)
      try await database.write { try $0.execute(sql: Picture.schema) }
      var counts = database.observe { try $0.pictures().count }.values.makeAsyncIterator()
      #expect(try await counts.next() == 0)
      try await Self.fill(database, 0..<10)
      #expect(try await counts.next() == 10)
      #expect(try await Self.mode(database) == "delete")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.sqlite"])
      await database.close()
      // It is the file's, which other options change.
      let other = try await Database(path: path)
      #expect(try await Self.mode(other) == "wal")
      await other.close()
      try await Self.make(folder + "/b.sqlite", .wal)
      let changed = try await Database(path: folder + "/b.sqlite", options: options)
      #expect(try await Self.mode(changed) == "delete")
      #expect(try await changed.read { try $0.pictures().count } == 1)
      await changed.close()
    }
  }

  @Test func otherProcessesAreSeenWithoutALog() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      try await Self.make(path, .rollback)
      var options = DatabaseOptions()
      options.journalMode = .rollback
      let database = try await Database(path: path, options: options)
      let other = try await Database(path: path, options: options)
      var counts = database.observe(includingOtherProcesses: .milliseconds(5)) { try $0.pictures().count }
        .values.makeAsyncIterator()
      #expect(try await counts.next() == 1)
      try await Self.fill(other, 10..<20)
      var count = 1
      while count != 11 { count = try await counts.next() ?? 11 }
      await database.close()
      await other.close()
    }
  }

  @Test(arguments: [DatabaseOptions.JournalMode.wal, .rollback])
  func aFileThatIsReadIsLeftAsItIs(mode: DatabaseOptions.JournalMode) async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      try await Self.make(path, mode)
      let before = FileManager.default.contents(atPath: path)
      var options = DatabaseOptions()
      options.isReadOnly = true
      let database = try await Database(path: path, options: options)
      #expect(try await database.read { try $0.pictures().count } == 1)
      await database.close()
      #expect(FileManager.default.contents(atPath: path) == before)
    }
  }

  // MARK: Immutable files

  private static var immutable: DatabaseOptions {
    var options = DatabaseOptions()
    options.isReadOnly = true
    options.isImmutable = true
    return options
  }

  @Test func anImmutableFileNeedsNothingBesideIt() async throws {
    try await withFolder { folder in
      // Characters that mean something in a URI.
      let path = folder + "/a b?c#d%20é.sqlite"
      try await Self.make(path, .wal)
      let database = try await Database(path: path, options: Self.immutable)
      #expect(try await database.read { try $0.pictures() } == [Picture(1, "a")])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1, "no log is made")
      await database.close()
    }
  }

  @Test func whatIsWrittenIsNotImmutable() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      try await Self.make(path, .rollback)
      var writable = DatabaseOptions()
      writable.journalMode = .rollback
      let writer = try await Database(path: path, options: writable)
      let refused = await databaseError { try await Database(path: path, options: Self.immutable) }
      #expect(refused?.kind == .misuse)
      await writer.close()
      let reader = try await Database(path: path, options: Self.immutable)
      let before = FileManager.default.contents(atPath: path)
      #expect(await databaseError { try await Database(path: path, options: writable) }?.kind == .misuse)
      #expect(await databaseError { try await Database(path: path) }?.kind == .misuse)
      #expect(FileManager.default.contents(atPath: path) == before)
      await reader.close()
      let again = try await Database(path: path, options: writable)
      await again.close()
    }
  }

  @Test func aFileWithALogIsNotImmutable() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let database = try await Database(path: path)
      try await database.write { try $0.execute(sql: Picture.schema) }
      let copy = folder + "/b.sqlite"
      for end in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + end, toPath: copy + end) }
      await database.close()
      let error = await databaseError { try await Database(path: copy, options: Self.immutable) }
      #expect(error?.kind == .misuse)
      #expect(error?.message.contains("-wal") == true)
      var options = Self.immutable
      options.isReadOnly = false
      #expect(await databaseError { try await Database(path: path, options: options) }?.kind == .misuse)
      // SQLite keeps it beside the file, and not beside a link to it.
      let link = folder + "/link.sqlite"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: copy)
      #expect(await databaseError { try await Database(path: link, options: Self.immutable) }?.kind == .misuse)
    }
  }

  @Test func anImmutableFileThatCannotBeOpenedSaysWhy() async throws {
    try await withFolder { folder in
      let missing = await databaseError { try await Database(path: folder + "/a.sqlite", options: Self.immutable) }
      #expect(missing?.kind == .missing)
      let name = folder + "/" + String(repeating: "a", count: 300)
      let tooLong = await databaseError { try await Database(path: name, options: Self.immutable) }
      #expect(tooLong?.isTransient == false)
    }
  }

  @Test func aFileWithAHotJournalIsNotImmutable() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      try await Self.make(path, .rollback)
      // It begins as that of a transaction which has not ended does.
      let hot = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
      try hot.write(to: URL(fileURLWithPath: path + "-journal"))
      let error = await databaseError { try await Database(path: path, options: Self.immutable) }
      #expect(error?.kind == .misuse)
      #expect(error?.message.contains("-journal") == true)
      // Those that SQLite leaves after a transaction.
      for ended in [Data(), Data(repeating: 0, count: 28)] {
        try ended.write(to: URL(fileURLWithPath: path + "-journal"))
        let database = try await Database(path: path, options: Self.immutable)
        #expect(try await database.read { try $0.pictures() } == [Picture(1, "a")])
        await database.close()
      }
    }
  }

  // MARK: Checkpoints

  @Test func aCheckpointEmptiesTheLog() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      var options = DatabaseOptions()
      options.checkpointPageCount = 0
      let database = try await Database(path: path, options: options)
      try await database.write { try $0.execute(sql: Picture.schema) }
      try await Self.fill(database, 0..<100)
      #expect(Self.size(path + "-wal") > 100_000)
      #expect(try await database.checkpoint() == 0)
      #expect(Self.size(path) > 100_000)
      #expect(Self.size(path + "-wal") > 100_000, "it is used from its beginning")
      #expect(try await database.checkpoint(.truncate) == 0)
      #expect(Self.size(path + "-wal") == 0)
      await database.close()
    }
  }

  @Test func aReadKeepsWhatItNeedsInTheLog() async throws {
    try await withFolder { folder in
      var options = DatabaseOptions()
      options.busyTimeout = .zero
      let database = try await Database(path: folder + "/a.sqlite", options: options)
      try await database.write { try $0.execute(sql: Picture.schema) }
      let hasRead = Signal()
      let proceed = Latch()
      let read = Task {
        try await database.read { db in
          _ = try db.pictures()
          hasRead.fire()
          proceed.wait()
        }
      }
      await hasRead.wait()
      try await Self.fill(database, 0..<100)
      #expect(try await database.checkpoint() > 0)
      #expect(await databaseError { try await database.checkpoint(.full) }?.kind == .locked)
      proceed.open()
      try await read.value
      #expect(try await database.checkpoint(.full) == 0)
      await database.close()
    }
  }

  @Test func aDatabaseWithoutALogHasNothingToMove() async throws {
    #expect(try await memory().checkpoint(.truncate) == 0)
  }

  @Test func aCheckpointIsNoChange() async throws {
    try await withFile { database in
      let runs = Shared(0)
      let recorder = RecordingSubscriber<Int, DatabaseError>(initialDemand: .unlimited)
      let arrivals = Signal()
      recorder.onValue = { _ in arrivals.fire() }
      database.observe { db in
        runs.update { $0 += 1 }
        return try db.pictures().count
      }.publisher.subscribe(recorder)
      await arrivals.wait(1)
      try await database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint") }
      try await database.checkpoint()
      try await Self.fill(database, 0..<1)
      await until { recorder.values.last == 1 }
      #expect(runs.value == 2)
      recorder.cancel()
    }
  }

  /// SQLite remembers an interrupt until a statement begins.
  @Test func aCheckpointIsNotEndedByAnEarlierCancellation() async throws {
    try await withFile { database in
      try await Self.fill(database, 0..<10)
      let hasBegun = Signal()
      let isCancelled = Latch()
      let task = Task {
        try await database.writeWithoutTransaction { _ in
          hasBegun.fire()
          isCancelled.wait()
        }
      }
      await hasBegun.wait()
      task.cancel()
      isCancelled.open()
      _ = await task.result
      #expect(try await database.checkpoint() == 0)
    }
  }
}
