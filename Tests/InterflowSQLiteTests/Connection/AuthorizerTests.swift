import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// What the closures of accesses must not do, and the errors that they get.
@Suite struct AuthorizerTests {
  private func withBoth(_ isInMemory: Bool, _ body: (Database) async throws -> Void) async throws {
    var options = DatabaseOptions()
    options.readerCount = 1
    if isInMemory { try await body(memory()) } else { try await withFile(options: options) { try await body($0) } }
  }

  // MARK: Transactions

  @Test(arguments: [
    ("COMMIT", "is a transaction already"), ("ROLLBACK", "is a transaction already"),
    ("BEGIN IMMEDIATE", "is a transaction already"), ("SAVEPOINT a", "savepoint(_:)"), ("RELEASE a", "savepoint(_:)"),
    ("ROLLBACK TO a", "savepoint(_:)"), ("ATTACH ':memory:' AS other", "attached"), ("DETACH main", "attached"),
  ])
  func transactionsAreNotTheClosuresBusiness(sql: String, words: String) async throws {
    let database = try await memory()
    for (isWrite, text) in [(true, sql), (false, sql), (true, "SELECT 1; \(sql)")] {
      let error = await databaseError {
        if isWrite {
          try await database.write { try $0.execute(sql: SQL(verbatim: text)) }
        } else {
          try await database.read { try $0.execute(sql: SQL(verbatim: text)) }
        }
      }
      #expect(error?.kind == .misuse)
      #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }
    try await database.write { try $0.insert(Picture(1, "a")) }
  }

  // MARK: Settings

  @Test(
    arguments: [
      "PRAGMA query_only = 1", "PRAGMA case_sensitive_like = 1", "PRAGMA writable_schema = 1",
      "PRAGMA foreign_keys = 0", "PRAGMA cache_size(7)", "PRAGMA main.synchronous = 0", "PRAGMA user_version = 7",
      "PRAGMA recursive_triggers = 1", "PRAGMA ignore_check_constraints = 1", "PRAGMA temp_store = 2",
      "PRAGMA optimize", "PRAGMA wal_checkpoint", "PRAGMA incremental_vacuum", "PRAGMA journal_mode = DELETE",
      "PRAGMA integrity_check; PRAGMA query_only = 1",
    ], [true, false])
  func aReadChangesNoSettings(sql: String, isInMemory: Bool) async throws {
    try await withBoth(isInMemory) { database in
      let error = await databaseError { try await database.read { try $0.execute(sql: SQL(verbatim: sql)) } }
      #expect(error?.kind == .readOnly)
      #expect(error?.message.contains("a read must not") == true, "\(String(describing: error))")
      try await database.write { try $0.insert(Picture(1, "A")) }
      let found = try await database.read { try $0.fetchOne(Int.self, sql: "SELECT 'a' LIKE 'A'") }
      #expect(found == 1)
    }
  }

  /// A database in memory has one cache for both.
  @Test func aReadDoesNotRunWhatAWriteHasPrepared() async throws {
    let database = try await memory()
    let sql = "PRAGMA query_only = 1"
    try await database.write { db in
      try db.execute(sql: SQL(verbatim: sql))
      try db.execute(sql: "PRAGMA query_only = 0")
    }
    let error = await databaseError { try await database.read { try $0.execute(sql: SQL(verbatim: sql)) } }
    #expect(error?.kind == .readOnly)
    try await database.write { try $0.insert(Picture(1, "a")) }
  }

  /// SQLite makes many settings while it compiles. It compiles a statement of that kind each time that it runs, also one
  /// that is kept.
  @Test func aSettingTakesEffectEachTime() async throws {
    let database = try await memory()
    try await database.write { db in
      for size in [50, 60, 50, 60] {
        try db.execute(sql: SQL(verbatim: "PRAGMA cache_size = \(size)"))
        let current = try db.fetchOne(Int.self, sql: "PRAGMA cache_size")
        #expect(current == size)
      }
    }
  }

  @Test func theBusyTimeoutIsAnOption() async throws {
    let database = try await memory()
    let error = await databaseError { try await database.write { try $0.execute(sql: "PRAGMA busy_timeout = 1") } }
    #expect(error?.kind == .misuse)
    #expect(error?.message.contains("DatabaseOptions.busyTimeout") == true)
  }

  @Test(
    arguments: [
      "PRAGMA table_info(picture)", "PRAGMA table_xinfo('picture')", "PRAGMA index_list(picture)",
      "PRAGMA index_info(i)", "PRAGMA index_xinfo(i)", "PRAGMA foreign_key_list(picture)", "PRAGMA integrity_check",
      "PRAGMA integrity_check(10)", "PRAGMA quick_check(picture)", "PRAGMA foreign_key_check(picture)",
      "PRAGMA table_list(picture)", "PRAGMA user_version", "PRAGMA query_only",
      "PRAGMA compile_options", "SELECT * FROM pragma_table_info('picture')",
      "SELECT * FROM pragma_index_list('picture')",
    ], [true, false])
  func aReadMayAsk(sql: String, isInMemory: Bool) async throws {
    try await withBoth(isInMemory) { database in
      try await database.write { try $0.execute(sql: "CREATE INDEX i ON picture(title)") }
      for _ in 0..<2 { try await database.read { try $0.execute(sql: SQL(verbatim: sql)) } }
      // Asking is no change of anything. But the first use of a table of that kind is reported as one.
      let written = try await database.writer.run { try $0.write { try $0.execute(sql: SQL(verbatim: sql)) }.region }
      #expect(written.isEmpty || sql.hasPrefix("SELECT"))
    }
  }
}
