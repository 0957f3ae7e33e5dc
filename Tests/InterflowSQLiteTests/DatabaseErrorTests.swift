import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

@Suite struct DatabaseErrorTests {
  @Test func aDirectoryIsNamedAsOne() async throws {
    try await withFolder { folder in
      let error = await databaseError { try await Database(path: folder) }
      #expect(error?.kind == .directory)
      #expect(error?.message.contains("directory") == true)
    }
  }

  @Test func aMissingFileIsNamedAsOne() async throws {
    try await withFolder { folder in
      var options = DatabaseOptions()
      options.createsFile = false
      let error = await databaseError { try await Database(path: folder + "/none.sqlite", options: options) }
      #expect(error?.kind == .missing)
      #expect(!FileManager.default.fileExists(atPath: folder + "/none.sqlite"))
      let noFolder = await databaseError { try await Database(path: folder + "/none/a.sqlite") }
      #expect(noFolder?.kind == .missing)
      options.isReadOnly = true
      let readOnly = await databaseError { try await Database(path: folder + "/none.sqlite", options: options) }
      #expect(readOnly?.kind == .missing)
    }
  }

  @Test func aFileThatIsNoDatabaseIsCorrupt() async throws {
    try await withFolder { folder in
      let path = folder + "/text.sqlite"
      try Data(String(repeating: "no database ", count: 100).utf8).write(to: URL(fileURLWithPath: path))
      #expect(await databaseError { try await Database(path: path) }?.kind == .corrupt)
    }
  }

  @Test func aReadOnlyDatabaseRefusesWrites() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let writable = try await Database(path: path)
      try await writable.write { try $0.execute(sql: Picture.schema) }
      await writable.close()
      var options = DatabaseOptions()
      options.isReadOnly = true
      let database = try await Database(path: path, options: options)
      #expect(try await database.read { try $0.pictures() } == [])
      let error = await databaseError { try await database.write { try $0.insert(Picture(1, "a")) } }
      #expect(error?.kind == .readOnly)
      await database.close()
    }
  }

  @Test func aLockOfAnotherConnectionIsReported() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let other = try await Database(path: path)
      var options = DatabaseOptions()
      options.busyTimeout = .milliseconds(20)
      let database = try await Database(path: path, options: options)
      let hasBegun = Signal()
      let proceed = Latch()
      let write = Task {
        try await other.write { _ in
          hasBegun.fire()
          proceed.wait()
        }
      }
      await hasBegun.wait()
      let error = await databaseError { try await database.write { _ in } }
      #expect(error?.kind == .locked)
      proceed.open()
      try await write.value
      try await database.write { _ in }
      await database.close()
      await other.close()
    }
  }

  @Test func aWaitForALockCanBeCancelled() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let other = try await Database(path: path)
      var options = DatabaseOptions()
      options.busyTimeout = .seconds(100_000)
      let attempts = Signal()
      options.waitsForLock = { attempts.fire() }
      let database = try await Database(path: path, options: options)
      #expect(attempts.count == 0)
      let hasBegun = Signal()
      let proceed = Latch()
      let write = Task {
        try await other.write { _ in
          hasBegun.fire()
          proceed.wait()
        }
      }
      await hasBegun.wait()
      let hasEnded = Signal()
      let waiting = Task {
        defer { hasEnded.fire() }
        try await database.write { _ in }
      }
      // It has asked for the lock, and does so again and again.
      await attempts.wait(3)
      waiting.cancel()
      // While the lock is still held.
      await hasEnded.wait()
      proceed.open()
      try await write.value
      await #expect(throws: CancellationError.self) { try await waiting.value }
      await database.close()
      await other.close()
    }
  }

  /// SQLite does not wait by itself for the lock that the change to a write-ahead log needs.
  @Test func openingWaitsForALock() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      var options = DatabaseOptions()
      options.journalMode = .rollback
      let other = try await Database(path: path, options: options)
      try await other.write { try $0.execute(sql: Picture.schema) }
      let hasBegun = Signal()
      let proceed = Latch()
      let write = Task {
        try await other.write { db in
          hasBegun.fire()
          proceed.wait()
          try db.insert(Picture(1, "a"))
        }
      }
      await hasBegun.wait()
      options = DatabaseOptions()
      options.busyTimeout = .seconds(60)
      options.waitsForLock = { proceed.open() }
      let opening = await Task { [options] in try await Database(path: path, options: options) }.result
      proceed.open()
      try await write.value
      let database = try opening.get()
      #expect(try await database.read { try $0.pictures() } == [Picture(1, "a")])
      await database.close()
      await other.close()
    }
  }

  /// Where another connection has the file for itself, SQLite waits too, for as long again each time that it is asked.
  @Test func openingWaitsForAsLongAsAnAccess() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      var options = DatabaseOptions()
      options.journalMode = .rollback
      let other = try await Database(path: path, options: options)
      let hasBegun = Signal()
      let proceed = Latch()
      let write = Task {
        try await other.writer.run { connection in
          try connection.transact("BEGIN EXCLUSIVE")
          hasBegun.fire()
          proceed.wait()
          try connection.transact("COMMIT")
        }
      }
      await hasBegun.wait()
      let waits = Signal()
      options = DatabaseOptions()
      options.busyTimeout = .milliseconds(300)
      options.waitsForLock = { waits.fire() }
      let opening = await Task { [options] in try await Database(path: path, options: options) }.result
      proceed.open()
      try await write.value
      let error = #expect(throws: DatabaseError.self) { try opening.get() }
      #expect(error?.kind == .locked)
      // 1, 2, 4, 8, 16 and 32 ms, and then 50 ms each time.
      #expect(waits.count == 11)
      await other.close()
    }
  }

  @Test(arguments: [true, false]) func openingThatWaitsForALockCanBeCancelled(isPrepared: Bool) async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      var options = DatabaseOptions()
      options.journalMode = .rollback
      let other = try await Database(path: path, options: options)
      let hasBegun = Signal()
      let proceed = Latch()
      let write = Task {
        try await other.writer.run { connection in
          try connection.transact("BEGIN EXCLUSIVE")
          hasBegun.fire()
          proceed.wait()
          try connection.transact("COMMIT")
        }
      }
      await hasBegun.wait()
      let attempts = Signal()
      let isCancelled = Latch()
      options.busyTimeout = .seconds(60)
      if isPrepared { options.prepare = { _ in } }
      options.waitsForLock = {
        attempts.fire()
        // One that waits again gets the lock.
        if attempts.count == 1 { isCancelled.wait() } else { proceed.open() }
      }
      let opening = Task { [options] in _ = try await Database(path: path, options: options) }
      await attempts.wait()
      opening.cancel()
      isCancelled.open()
      // While the lock is still held.
      await #expect(throws: CancellationError.self) { try await opening.value }
      #expect(attempts.count == 1)
      proceed.open()
      try await write.value
      await other.close()
    }
  }

  @Test func aFullDatabaseIsReported() async throws {
    try await withFile { database in
      let error = await databaseError {
        try await database.write { db in
          try db.execute(sql: "PRAGMA max_page_count = 8")
          for id in 0..<1_000 { try db.insert(Picture(id, String(repeating: "x", count: 1_000))) }
        }
      }
      #expect(error?.kind == .full)
      #expect(try await database.read { try $0.pictures() } == [])
      try await database.write { try $0.insert(Picture(1, "a")) }
    }
  }

  @Test func aConstraintIsReportedWithItsExtendedCode() async throws {
    let database = try await memory()
    let error = await databaseError {
      try await database.write {
        try $0.insert(Picture(1, "a"))
        try $0.insert(Picture(1, "b"))
      }
    }
    #expect(error?.kind == .constraint)
    #expect(error?.code == 1555, "SQLITE_CONSTRAINT_PRIMARYKEY")
    #expect(error?.sql == Picture.insertion.text)
    #expect(error?.message == "UNIQUE constraint failed: picture.id")
  }

  @Test func aTriggerSaysWhyItRefuses() async throws {
    let database = try await memory()
    try await database.write {
      try $0.execute(
        sql: """
          CREATE TRIGGER check_title BEFORE INSERT ON picture WHEN new.title = ''
            BEGIN SELECT RAISE(ABORT, 'a picture needs a title'); END
          """)
    }
    let error = await databaseError { try await database.write { try $0.insert(Picture(1, "")) } }
    #expect(error?.kind == .constraint)
    #expect(error?.message == "a picture needs a title")
  }

  @Test func aMessageNeverContainsABoundValue() async throws {
    let database = try await memory()
    let secret = "s3cret"
    let statements: [(String, DatabaseArguments)] = [
      ("SELECT json_extract('{}', ?)", ["\(secret)["]),
      ("SELECT json(?)", [secret]),
      ("INSERT INTO picture VALUES (?, 'a', NULL)", [secret]),
      ("SELECT * FROM picture WHERE title MATCH ?", [secret]),
      ("SELECT 'a' LIKE 'b' ESCAPE ?", [secret]),
      ("SELECT load_extension(?)", [secret]),
      ("SELECT * FROM note WHERE note MATCH ?", ["\(secret):\""]),
    ]
    try await database.write { db in
      try db.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(text)")
      try db.insert(Picture(1, "a"))
    }
    for (sql, arguments) in statements {
      let error = await databaseError {
        try await database.write { try $0.execute(sql: SQL(verbatim: sql), arguments: arguments) }
      }
      #expect(error.map { "\($0)".contains(secret) } == false, "\(sql): \(String(describing: error))")
    }
    let decoding = await databaseError {
      try await database.read { try $0.fetchOne(Int.self, sql: "SELECT ?", arguments: [secret]) }
    }
    #expect(decoding?.kind == .decoding)
    #expect(decoding.map { "\($0)".contains(secret) } == false)
  }

  @Test func aMessageNeverContainsABoundNumberOrPath() async throws {
    let database = try await memory()
    let statements: [(SQL, DatabaseArguments)] = [
      ("SELECT json_extract('{}', ?)", [4_111_111_111_111_111]),
      ("SELECT json_extract('{}', ?)", [4111.5]),
      ("VACUUM INTO ?", ["/4111/a.sqlite"]),
    ]
    for (sql, arguments) in statements {
      let error = await databaseError {
        try await database.writeWithoutTransaction { try $0.execute(sql: sql, arguments: arguments) }
      }
      #expect(error.map { "\($0)".contains("4111") } == false, "\(String(describing: error))")
    }
  }

  @Test func aMessageNeverContainsAStoredValue() async throws {
    enum Kind: String, Codable, Sendable { case star }
    struct Object: Codable, Sendable { var kind: Kind }
    struct Refusal: Error { var value: String }
    struct Strict: Decodable, Sendable {
      init(from decoder: any Decoder) throws {
        throw Refusal(value: try decoder.singleValueContainer().decode(String.self))
      }
    }
    func check(_ type: (some Decodable & Sendable).Type, says text: String) async {
      let error = await databaseError {
        try await Database.inMemory().read { db in
          try db.fetchOne(type, sql: "SELECT ? AS kind", arguments: ["s3cret"]) != nil
        }
      }
      #expect(error?.kind == .decoding)
      #expect(error.map { "\($0)".contains("s3cret") } == false, "\(String(describing: error))")
      #expect(error?.message.contains(text) == true, "\(String(describing: error))")
      #expect(error?.underlying != nil)
    }
    await check(Kind.self, says: "the data are corrupted")
    await check(Object.self, says: "the data are corrupted")
    await check(Strict.self, says: "Refusal")
  }

  @Test func anErrorNamesWhereItIsInAValue() async throws {
    struct Strict: Decodable, Sendable {
      enum CodingKeys: String, CodingKey { case size, width }
      init(from decoder: any Decoder) throws {
        throw DecodingError.typeMismatch(
          Int.self, .init(codingPath: [CodingKeys.size, CodingKeys.width], debugDescription: "s3cret"))
      }
    }
    let error = await databaseError {
      try await Database.inMemory().read { try $0.fetchOne(Strict.self, sql: "SELECT 1") != nil }
    }
    #expect(error?.message == "a row cannot be decoded as Strict: a value has another type, at size.width")
  }

  @Test(arguments: [
    ("SELEC 1", "SELEC 1;"), ("INSERT INTO none VALUES (1)", "INSERT INTO none VALUES (1);"),
    ("INSERT INTO picture VALUES (1, 'a;b', NULL)", "INSERT INTO picture VALUES (1, 'a;b', NULL);"),
    ("SELECT", "SELECT;"), ("INSERT INTO picture VALUES (1, ';', )", "INSERT INTO picture VALUES (1, ';', );"),
  ])
  func anErrorInAScriptNamesItsStatementAlone(failing: String, sql: String) async throws {
    let database = try await memory()
    let before = "INSERT INTO picture VALUES (1, 'a', NULL);\n"
    for script in ["\(before)\(failing); SELECT 2; SELECT 's3cret'", "\(before) \(failing);\nSELECT 's3cret';\n"] {
      let error = await databaseError { try await database.write { try $0.execute(sql: SQL(verbatim: script)) } }
      #expect(error?.sql == sql)
    }
    let last = await databaseError { try await database.write { try $0.execute(sql: SQL(verbatim: before + failing)) } }
    #expect(last?.sql == failing)
  }

  @Test func anOwnCursorIsNoLockOfOthers() async throws {
    let database = try await memory()
    let error = await databaseError {
      try await database.write { db in
        try db.insert(Picture(1, "a"))
        let rows = try db.fetchCursor(sql: Picture.all)
        _ = try rows.next()
        defer { withExtendedLifetime(rows) {} }
        try db.execute(sql: "DROP TABLE picture")
      }
    }
    #expect(error?.kind == .misuse)
    #expect(
      error?.message
        == "database table is locked; a cursor of the same access still reads: let it come to its end, or release it, before"
    )
  }

  @Test func theLocalizedDescriptionIsTheMessage() {
    let error: any Error = DatabaseError(kind: .other, message: "the message", sql: "SELECT 1")
    #expect(error.localizedDescription == "the message")
  }

  @Test func aSyntaxErrorNamesTheStatement() async throws {
    let database = try await memory()
    let error = await databaseError { try await database.read { try $0.execute(sql: "SELEC 1") } }
    #expect(error?.kind == .other)
    #expect(error?.description == "near \"SELEC\": syntax error (SQLite 1), in: SELEC 1")
  }
}
