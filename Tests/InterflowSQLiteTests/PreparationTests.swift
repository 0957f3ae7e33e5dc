import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

/// What each connection is prepared with.
@Suite struct PreparationTests {
  private func options(_ prepare: @escaping @Sendable (DatabaseConnection) throws -> Void) -> DatabaseOptions {
    var options = DatabaseOptions()
    options.prepare = prepare
    return options
  }

  private func withBoth(
    _ isInMemory: Bool, _ options: DatabaseOptions, _ body: (Database) async throws -> Void
  ) async throws {
    if isInMemory {
      let database = Database.inMemory(options: options)
      try await database.write { try $0.execute(sql: Picture.schema) }
      try await body(database)
    } else {
      try await withFile(options: options) { try await body($0) }
    }
  }

  @Test(arguments: [true, false]) func everyConnectionIsPreparedOnce(isInMemory: Bool) async throws {
    let calls = Signal()
    var options = options { db in
      calls.fire()
      try db.execute(sql: "PRAGMA cache_size = 77; PRAGMA case_sensitive_like = 1")
    }
    options.readerCount = 2
    try await withBoth(isInMemory, options) { database in
      @Sendable func check(_ db: DatabaseConnection) throws {
        let size = try db.fetchOne(Int.self, sql: "PRAGMA cache_size")
        #expect(size == 77)
        let isLike = try db.fetchOne(Int.self, sql: "SELECT 'a' LIKE 'A'")
        #expect(isLike == 0)
      }
      for _ in 0..<3 {
        try await database.write { try check($0) }
        try await database.read { try check($0) }
      }
      #expect(calls.count == (isInMemory ? 1 : 2))
      // Both readers at a time.
      let proceed = Latch()
      let hasBegun = Signal()
      let read = Task {
        try await database.read { _ in
          hasBegun.fire()
          proceed.wait()
        }
      }
      await hasBegun.wait()
      if !isInMemory { try await database.read { try check($0) } }
      proceed.open()
      try await read.value
      #expect(calls.count == (isInMemory ? 1 : 3))
    }
  }

  @Test func thePageSizeCanBeSetBeforeTheFileIsMade() async throws {
    try await withFile(options: options { try $0.execute(sql: "PRAGMA page_size = 8192") }) { database in
      let size = try await database.read { try $0.fetchOne(Int.self, sql: "PRAGMA page_size") }
      #expect(size == 8_192)
    }
  }

  @Test func whenCheckpointsRunCanBeSet() async throws {
    @Sendable func pageCount(_ options: DatabaseOptions) async throws -> Int? {
      try await withFile(options: options) { database in
        try await database.writeWithoutTransaction { try $0.fetchOne(Int.self, sql: "PRAGMA wal_autocheckpoint") }
      }
    }
    var options = DatabaseOptions()
    options.checkpointPageCount = 5
    #expect(try await pageCount(options) == 5)
    options.prepare = { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 7") }
    #expect(try await pageCount(options) == 7)
  }

  @Test func foreignKeysCanBeSwitchedOff() async throws {
    try await withBoth(true, options { try $0.execute(sql: "PRAGMA foreign_keys = OFF") }) { database in
      try await database.write {
        try $0.execute(sql: "CREATE TABLE star (picture INTEGER REFERENCES picture(id)); INSERT INTO star VALUES (7)")
      }
      // Also after migrations, for which they are switched off.
      try await database.migrate([Migration(1) { try $0.execute(sql: "CREATE TABLE added (x)") }])
      try await database.write { try $0.execute(sql: "INSERT INTO star VALUES (8)") }
    }
  }

  @Test func anErrorIsThatOfTheAccess() async throws {
    let isBroken = Shared(true)
    let database = Database.inMemory(options: options { _ in if isBroken.value { throw TestError("mine") } })
    await #expect(throws: TestError("mine")) { try await database.read { _ in } }
    await #expect(throws: TestError("mine")) { try await database.write { _ in } }
    let recorder = RecordingSubscriber<Int, DatabaseError>()
    let ends = Signal()
    recorder.onCompletion = { _ in ends.fire() }
    database.observe { try $0.fetchOne(Int.self, sql: "SELECT 1") ?? 0 }.publisher.subscribe(recorder)
    await ends.wait()
    #expect(recorder.error?.underlying as? TestError == TestError("mine"))
    isBroken.value = false
    try await database.read { _ in }
    await database.close()
    await withFolderError(options { _ in throw TestError("mine") })
  }

  private func withFolderError(_ options: DatabaseOptions) async {
    await #expect(throws: TestError("mine")) {
      try await withFolder { _ = try await Database(path: $0 + "/a.sqlite", options: options) }
    }
  }

  @Test func transactionsAreNotItsBusiness() async throws {
    for sql in ["BEGIN", "PRAGMA busy_timeout = 1"] {
      let database = Database.inMemory(options: options { try $0.execute(sql: SQL(verbatim: sql)) })
      let error = await databaseError { try await database.read { _ in } }
      #expect(error?.kind == .misuse)
    }
  }

  // MARK: Functions

  private static let values: [DatabaseValue] = [
    .null, .integer(.min), .integer(7), .real(0.5), .text(""), .text("a\0b"), .text("é'\""), .blob([]),
    .blob([0, 255]),
  ]

  @Test(arguments: [true, false]) func aFunctionIsCalledWithValuesOfEachType(isInMemory: Bool) async throws {
    let options = options { db in
      try db.addFunction("same", argumentCount: 1) { $0[0] }
      try db.addFunction("counted") { $0.count }
      try db.addFunction("nought", argumentCount: 0, isDeterministic: false) { _ in nil }
    }
    try await withBoth(isInMemory, options) { database in
      for value in Self.values {
        let result = try await database.read { db in
          try db.fetchCursor(sql: "SELECT same(?)", arguments: [value]).next()?.value(0)
        }
        #expect(result == value)
      }
      let counts = try await database.read { db in
        try db.fetchAll(Int.self, sql: "SELECT counted() UNION ALL SELECT counted(1, 2, NULL)")
      }
      #expect(counts == [0, 3])
      let nothing = try await database.read { try $0.fetchOne(Bool.self, sql: "SELECT nought() IS NULL") }
      #expect(nothing == true)
    }
  }

  @Test func aFunctionThatThrowsFailsTheStatementWithoutItsValues() async throws {
    let database = Database.inMemory(
      options: options { db in
        try db.addFunction("failing", argumentCount: 1) { arguments in throw TestError("\(arguments[0])") }
      })
    let statements: [(SQL, DatabaseArguments)] = [("SELECT failing('s3cret')", []), ("SELECT failing(?)", ["s3cret"])]
    for (sql, arguments) in statements {
      let error = await databaseError {
        try await database.write { db in
          try db.execute(sql: "CREATE TABLE a (x)")
          try db.execute(sql: sql, arguments: arguments)
        }
      }
      #expect(error?.kind == .other)
      #expect(error?.message == "the function failing threw an error of the type TestError")
      // What the function has said is not said of another failure.
      let other = await databaseError {
        try await database.read { try $0.execute(sql: "SELECT json(?)", arguments: ["s3cret"]) }
      }
      #expect(other?.message == "SQL logic error")
    }
    try await database.write { try $0.execute(sql: "CREATE TABLE a (x)") }
  }

  @Test func aFunctionCanBePartOfAnIndexThatIsObserved() async throws {
    let database = Database.inMemory(
      options: options { db in
        try db.addFunction("backwards", argumentCount: 1) { arguments in
          guard case .text(let text) = arguments[0] else { return nil }
          return String(text.reversed())
        }
      })
    try await database.write {
      try $0.execute(sql: Picture.schema + "; CREATE INDEX i ON picture(backwards(title))")
      try $0.insert(Picture(1, "abc"))
    }
    var iterator = database.observe {
      try $0.fetchAll(Int.self, sql: "SELECT id FROM picture WHERE backwards(title) = 'cba' ORDER BY id")
    }.values.makeAsyncIterator()
    let first = try await iterator.next()
    #expect(first == [1])
    try await database.write { try $0.insert(Picture(2, "abc")) }
    let second = try await iterator.next()
    #expect(second == [1, 2])
  }

  @Test func aCollationOrders() async throws {
    let options = options { db in
      try db.addCollation("length") { $0.count < $1.count }
    }
    try await withBoth(false, options) { database in
      try await database.write { db in
        try db.execute(sql: "CREATE TABLE word (text TEXT COLLATE length); CREATE INDEX i ON word(text)")
        for text in ["ccc", "", "bb", "éé", "a"] {
          try db.execute(sql: "INSERT INTO word VALUES (?)", arguments: [text])
        }
      }
      let texts = try await database.read {
        try $0.fetchAll(String.self, sql: "SELECT text FROM word ORDER BY text, rowid")
      }
      #expect(texts == ["", "a", "bb", "éé", "ccc"])
      let equal = try await database.read {
        try $0.fetchAll(String.self, sql: "SELECT text FROM word WHERE text = 'xx' ORDER BY rowid")
      }
      #expect(equal == ["bb", "éé"])
    }
  }

  @Test func elsewhereOneConnectionAloneWouldHaveThem() async throws {
    let database = try await memory()
    let function = await databaseError { try await database.write { try $0.addFunction("f") { _ in 1 } } }
    #expect(function?.kind == .misuse)
    let collation = await databaseError { try await database.read { try $0.addCollation("c") { $0 < $1 } } }
    #expect(collation?.kind == .misuse)
  }

  @Test func closingReleasesThem() async throws {
    let lifetimes = LifetimeCounter()
    func open() -> Database {
      let token = lifetimes.make()
      return Database.inMemory(
        options: options { db in
          let (function, collation) = (lifetimes.make(), lifetimes.make())
          try db.addFunction("f", argumentCount: 1) { arguments in
            function.touch()
            return arguments[0]
          }
          try db.addCollation("c") {
            collation.touch()
            return $0 < $1
          }
          token.touch()
        })
    }
    do {
      let database = open()
      try await database.read { db in
        let result = try db.fetchOne(Int.self, sql: "SELECT f(7)")
        #expect(result == 7)
      }
      #expect(lifetimes.count == 3)
      await database.close()
      #expect(lifetimes.count == 1, "the database has the options as long as it lives")
    }
    await until { lifetimes.count == 0 }
  }
}
