import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

/// What must not make a query run again, and what must although it is no table.
@Suite struct NotificationPrecisionTests {
  private static let schema: SQL = """
    CREATE TABLE picture (id INTEGER PRIMARY KEY, title TEXT UNIQUE, size INTEGER);
    CREATE TABLE other (id INTEGER PRIMARY KEY, picture_id INTEGER REFERENCES picture(id) ON DELETE CASCADE);
    CREATE TABLE housing (natural_x INTEGER, replaced INTEGER);
    CREATE TABLE keyed (x PRIMARY KEY, y) WITHOUT ROWID;
    CREATE VIEW titles AS SELECT title FROM picture;
    CREATE TRIGGER renamed INSTEAD OF UPDATE ON titles BEGIN
      UPDATE picture SET title = new.title WHERE title = old.title; END;
    CREATE VIRTUAL TABLE words USING fts5(word);
    CREATE VIRTUAL TABLE older USING fts4(word);
    CREATE VIRTUAL TABLE found USING fts5(title, content = 'picture', content_rowid='id');
    CREATE VIRTUAL TABLE viewed USING fts5(title, content="titles");
    CREATE VIRTUAL TABLE contentless USING fts5(title, content='');
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, 'row');
    CREATE VIRTUAL TABLE boxes USING rtree(id, low, high);
    INSERT INTO picture VALUES (1, 'apple', 10), (2, 'pear', 20);
    INSERT INTO other VALUES (1, 1), (2, 2);
    INSERT INTO housing VALUES (1, 2);
    INSERT INTO keyed VALUES (1, 2);
    INSERT INTO words VALUES ('apple'), ('pear');
    INSERT INTO older VALUES ('apple');
    INSERT INTO found(found) VALUES ('rebuild');
    INSERT INTO boxes VALUES (1, 0, 1);
    """

  private func withDatabase(_ body: (Database) async throws -> Void) async throws {
    let database = Database.inMemory()
    try await database.write { try $0.execute(sql: Self.schema) }
    try await body(database)
    await database.close()
  }

  private func read(_ query: String, on database: Database) async throws -> Region {
    try await database.readers.run { connection in
      try connection.read(isObserved: true) { db in
        let rows = try db.fetchCursor(sql: SQL(verbatim: query))
        while try rows.next() != nil {}
      }.region
    }
  }

  private func written(on database: Database, _ body: @escaping @Sendable (DatabaseConnection) throws -> Void)
    async throws -> Region
  {
    try await database.writer.run { try $0.write(nil, body).region }
  }

  @Test(arguments: [
    "UPDATE picture SET size = 1 WHERE id = 99", "DELETE FROM picture WHERE 0", "DELETE FROM picture WHERE id = 99",
    "INSERT OR IGNORE INTO picture VALUES (1, 'apple', 10)",
    "INSERT INTO picture VALUES (1, 'apple', 10) ON CONFLICT DO NOTHING",
    "UPDATE titles SET title = 'x' WHERE title = 'none'", "INSERT INTO picture SELECT * FROM picture WHERE 0",
    "UPDATE picture SET size = 1 WHERE 0 RETURNING id", "DELETE FROM words WHERE words MATCH 'fig'",
    "UPDATE keyed SET y = 1 WHERE x = 99", "SELECT 1", "PRAGMA user_version",
    "UPDATE picture SET size = 1 WHERE id = 99; DELETE FROM other WHERE id = 99",
    "CREATE TABLE IF NOT EXISTS picture (id)", "CREATE VIEW IF NOT EXISTS titles AS SELECT 1",
    "DROP TABLE IF EXISTS missing", "PRAGMA cache_size = 100",
  ])
  func whatChangesNoRowIsNoChange(sql: String) async throws {
    try await withDatabase { database in
      let region = try await written(on: database) { try $0.execute(sql: SQL(verbatim: sql)) }
      #expect(region.isEmpty)
      // A statement that is kept, too.
      let again = try await written(on: database) { try $0.execute(sql: SQL(verbatim: sql)) }
      #expect(again.isEmpty)
    }
  }

  @Test(arguments: [
    ("UPDATE picture SET size = size", ["picture"]), ("DELETE FROM keyed", ["keyed"]),
    ("DELETE FROM picture WHERE id = 1", ["other", "picture"]), ("REPLACE INTO keyed VALUES (1, 2)", ["keyed"]),
    ("UPDATE titles SET title = 'x' WHERE title = 'apple'", ["picture", "titles"]), ("DELETE FROM other", ["other"]),
    ("INSERT INTO housing VALUES (1, 1); UPDATE keyed SET y = 0 WHERE x = 99", ["housing"]),
    ("INSERT INTO housing VALUES (1, 1) RETURNING 1", ["housing"]), ("DELETE FROM boxes", ["boxes"]),
  ])
  func whatChangesRowsIsAChangeOfItsTables(sql: String, tables: [String]) async throws {
    try await withDatabase { database in
      let region = try await written(on: database) { try $0.execute(sql: SQL(verbatim: sql)) }
      // A virtual table also writes those in which it keeps its content.
      #expect(region.tables.keys.filter { !$0.hasPrefix("boxes_") }.sorted() == tables)
    }
  }

  @Test(arguments: [
    "CREATE TABLE IF NOT EXISTS fresh (id)", "CREATE TEMP VIEW IF NOT EXISTS fresh AS SELECT 1",
    "DROP TABLE IF EXISTS other", "PRAGMA case_sensitive_like = ON", "ALTER TABLE other ADD COLUMN exists_too",
  ])
  func aChangeOfTheSchemaIsAChangeOfEverything(sql: String) async throws {
    try await withDatabase { database in
      let region = try await written(on: database) { try $0.execute(sql: SQL(verbatim: sql)) }
      #expect(region.isEverything)
    }
  }

  /// The view may be another one each time, under a version of the schema that is the same.
  @Test func aTemporaryViewIsReadAsItIsNow() async throws {
    try await withDatabase { database in
      for table in ["picture", "other", "keyed"] {
        let columns = table == "keyed" ? "x" : "id"
        try await database.write {
          try $0.execute(
            sql: SQL(
              verbatim: "DROP VIEW IF EXISTS chosen; CREATE TEMP VIEW chosen AS SELECT \(columns) FROM \(table)"))
        }
        let region = try await read("SELECT * FROM chosen", on: database)
        #expect(region.tables[table] != nil || region.isEverything, "\(table): \(region)")
      }
    }
  }

  @Test func aCursorThatHasNotEndedHasWritten() async throws {
    try await withDatabase { database in
      let region = try await written(on: database) { db in
        let rows = try db.fetchCursor(sql: "UPDATE picture SET size = 0 RETURNING id")
        _ = try rows.next()
        // It is released after the transaction has been.
        withExtendedLifetime(rows) {}
      }
      #expect(region.tables["picture"] != nil)
    }
  }

  @Test func whatASavepointHasUndoneIsNoChange() async throws {
    try await withDatabase { database in
      let region = try await written(on: database) { db in
        try db.execute(sql: "DELETE FROM keyed")
        try? db.savepoint {
          try db.execute(sql: "DELETE FROM keyed")
          try db.execute(sql: "DELETE FROM picture; DELETE FROM housing")
          try db.savepoint { try db.execute(sql: "DELETE FROM housing") }
          throw TestError()
        }
        try db.savepoint { try db.execute(sql: "DELETE FROM other") }
      }
      #expect(region.tables.keys.sorted() == ["keyed", "other"])
    }
  }

  @Test func aSavepointDoesNotUndoWhatWasWrittenBefore() async throws {
    try await withDatabase { database in
      let region = try await written(on: database) { db in
        let rows = try db.fetchCursor(sql: "DELETE FROM keyed RETURNING x")
        _ = try rows.next()
        try? db.savepoint {
          while try rows.next() != nil {}
          throw TestError()
        }
        // The same statement once more after it has been undone.
        try? db.savepoint {
          try db.execute(sql: "DELETE FROM other")
          throw TestError()
        }
        try db.execute(sql: "DELETE FROM other")
      }
      #expect(region.tables.keys.sorted() == ["keyed", "other"])
    }
  }

  @Test(arguments: [
    ("SELECT count(*) FROM words WHERE words MATCH 'apple'", "UPDATE picture SET size = 5"),
    ("SELECT word FROM words", "DELETE FROM other"), ("SELECT count(*) FROM older", "DELETE FROM words"),
    ("SELECT id FROM picture WHERE id IN (SELECT rowid FROM words WHERE words MATCH 'apple')", "DELETE FROM other"),
    ("WITH w AS (SELECT rowid FROM words) SELECT count(*) FROM w", "DELETE FROM picture"),
    ("SELECT title FROM found WHERE found MATCH 'apple'", "DELETE FROM keyed"),
    ("SELECT rowid FROM contentless WHERE contentless MATCH 'a'", "DELETE FROM picture"),
    ("SELECT id FROM boxes WHERE low < 3", "DELETE FROM picture"),
    ("SELECT value FROM json_each('[1]')", "DELETE FROM picture"),
    ("SELECT name FROM pragma_table_info('picture')", "DELETE FROM picture"),
    ("SELECT natural_x FROM housing", "UPDATE housing SET replaced = 5"),
    ("SELECT replaced FROM housing", "UPDATE housing SET natural_x = replace('a', 'b', 'c')"),
    ("SELECT natural_x AS using_it FROM housing", "UPDATE housing SET replaced = replaced || 'replace'"),
    ("SELECT size FROM picture WHERE title <> ' or replace natural using '", "UPDATE housing SET replaced = 5"),
    ("PRAGMA user_version", "DELETE FROM picture"), ("PRAGMA table_info(picture)", "DELETE FROM picture"),
  ])
  func aWriteElsewhereDoesNotCount(query: String, sql: String) async throws {
    try await withDatabase { database in
      // The first use of a virtual table prepares statements of its own, which are reported.
      for _ in 0..<2 {
        let read = try await read(query, on: database)
        let written = try await written(on: database) { try $0.execute(sql: SQL(verbatim: sql)) }
        #expect(!written.isEmpty)
        #expect(!read.isAffected(by: written), "\(read) after \(written)")
        try await database.write { try $0.execute(sql: "INSERT OR IGNORE INTO picture VALUES (1, 'apple', 10)") }
        try await database.write { try $0.execute(sql: "INSERT OR IGNORE INTO keyed VALUES (1, 2)") }
        try await database.write { try $0.execute(sql: "INSERT OR IGNORE INTO other VALUES (1, 1)") }
        try await database.write { try $0.execute(sql: "INSERT INTO words VALUES ('apple')") }
      }
    }
  }

  @Test(arguments: [
    ("SELECT count(*) FROM words WHERE words MATCH 'apple'", "DELETE FROM words"),
    ("SELECT title FROM found WHERE found MATCH 'apple'", "UPDATE picture SET title = 'new#' WHERE id = 1"),
    ("SELECT title FROM viewed", "UPDATE picture SET title = 'new#' WHERE id = 1"),
    ("SELECT term FROM vocabulary", "INSERT INTO words VALUES ('fig')"),
    ("SELECT id FROM boxes WHERE low < 3", "INSERT INTO boxes VALUES (2#, 0, 1)"),
    ("SELECT count(*) FROM words NATURAL JOIN keyed", "DELETE FROM keyed"),
    ("PRAGMA page_count", "DELETE FROM picture"), ("PRAGMA freelist_count", "DELETE FROM picture"),
    ("SELECT * FROM pragma_page_count", "DELETE FROM picture"), ("PRAGMA integrity_check", "DELETE FROM picture"),
    ("PRAGMA data_version", "DELETE FROM picture"), ("PRAGMA foreign_key_check", "DELETE FROM picture"),
    ("PRAGMA user_version", "PRAGMA user_version = 3#0"), ("PRAGMA schema_version", "CREATE TABLE late# (x)"),
    ("PRAGMA table_info(picture)", "ALTER TABLE picture ADD COLUMN more#x"),
    ("SELECT seq FROM sqlite_sequence", "INSERT INTO counted VALUES (NULL)"),
  ])
  func aChangeOfWhatIsNoTableCounts(query: String, sql: String) async throws {
    try await withDatabase { database in
      try await database.write { try $0.execute(sql: "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT)") }
      for round in 0..<2 {
        let read = try await read(query, on: database)
        let written = try await written(on: database) { db in
          try db.execute(sql: SQL(verbatim: sql.split(separator: "#").joined(separator: "\(round)")))
        }
        #expect(!written.isEmpty)
        #expect(read.isAffected(by: written), "\(read) after \(written)")
        try await database.write { db in
          try db.execute(sql: "INSERT OR IGNORE INTO picture (id, title, size) VALUES (1, 'apple', 10)")
          try db.execute(sql: "INSERT OR IGNORE INTO keyed VALUES (1, 2); INSERT INTO words VALUES ('apple')")
        }
      }
    }
  }

  @Test(arguments: [
    "USING fts5(title, con = 'picture', content_rowid=id)", "USING fts5(title, c=picture, content_rowid=id)",
    "USING fts5(title, CONTEN=[picture], content_rowid=id)",
    "USING fts4(title, content=old-picture)", "USING fts4(content=old picture, title)",
  ])
  func theContentOfAFullTextTableIsReadWhateverItIsCalled(definition: String) async throws {
    try await withDatabase { database in
      try await database.write { db in
        try db.execute(
          sql: """
            CREATE TABLE "old-picture" (title TEXT); CREATE TABLE "old picture" (title TEXT);
            CREATE TABLE old (title TEXT); INSERT INTO "old-picture" VALUES ('a'); INSERT INTO "old picture" VALUES ('a');
            """)
        try db.execute(sql: SQL(verbatim: "CREATE VIRTUAL TABLE texts " + definition))
      }
      let query = "SELECT title FROM texts"
      func titles() async throws -> [String] {
        try await database.read { try $0.fetchAll(String.self, sql: SQL(verbatim: query)) }
      }
      let before = try await titles()
      let read = try await read(query, on: database)
      let written = try await written(on: database) { db in
        try db.execute(
          sql: """
            UPDATE picture SET title = title || '2'; UPDATE "old-picture" SET title = 'b';
            UPDATE "old picture" SET title = 'b';
            """)
      }
      #expect(try await titles() != before)
      #expect(read.isAffected(by: written), "\(read) after \(written)")
    }
  }

  @Test(arguments: [
    "INSERT OR IGNORE INTO counted(name) VALUES ('a')", "INSERT OR IGNORE INTO counted(id, name) VALUES (50, 'a')",
    "INSERT INTO counted(name) VALUES ('a') ON CONFLICT DO NOTHING",
    "INSERT INTO uncounted(name) SELECT 'b' WHERE 0",
    "SELECT 1; INSERT OR IGNORE INTO counted(id, name) VALUES (50, 'a')",
  ])
  func anIgnoredRowThatIsCountedIsAChange(sql: String) async throws {
    try await withDatabase { database in
      try await database.write {
        try $0.execute(
          sql: """
            CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);
            CREATE TABLE uncounted (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);
            INSERT INTO counted VALUES (1, 'a'); DELETE FROM counted; INSERT INTO counted VALUES (1, 'a');
            """)
      }
      let read = try await read("SELECT name, seq FROM sqlite_sequence", on: database)
      let written = try await written(on: database) { try $0.execute(sql: SQL(verbatim: sql)) }
      #expect(written.tables.keys.sorted() == ["sqlite_sequence"])
      #expect(read.isAffected(by: written))
      let undone = try await self.written(on: database) { db in
        try? db.savepoint {
          try db.execute(sql: SQL(verbatim: sql))
          throw TestError()
        }
      }
      #expect(undone.isEmpty)
    }
  }

  @Test func theOptimizationOfAFullTextTableIsAChange() async throws {
    try await withDatabase { database in
      // The first time, its statements are prepared, which is reported.
      try await database.writeWithoutTransaction { db in
        try db.execute(sql: "INSERT INTO older VALUES ('fig')")
        try db.execute(sql: "SELECT optimize(older) FROM older")
      }
      try await database.write { try $0.execute(sql: "INSERT INTO older VALUES ('pear')") }
      let query = "SELECT count(*) FROM older_segdir"
      func count() async throws -> Int? {
        try await database.read { try $0.fetchOne(Int.self, sql: SQL(verbatim: query)) }
      }
      let before = try await count()
      let read = try await read(query, on: database)
      // It begins a savepoint, which a write refuses.
      let written = try await database.writer.run { connection in
        let outcome = connection.writeWithoutTransaction(OwnCommits()) { db in
          try db.execute(sql: "SELECT optimize(older) FROM older LIMIT 1")
        }
        try outcome.result.get()
        return outcome.region
      }
      #expect(try await count() != before)
      #expect(read.isAffected(by: written))
    }
  }

  @Test func aCheckpointIsNoChange() async throws {
    try await withFile { database in
      let region = try await database.writer.run { connection in
        connection.writeWithoutTransaction(OwnCommits()) { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
          .region
      }
      #expect(region.isEmpty)
    }
  }

  @Test func anObserverIsNotCalledForAChangeOfNoRow() async throws {
    try await withDatabase { database in
      let count = RecordingSubscriber<Int, DatabaseError>(initialDemand: .unlimited)
      let arrivals = Signal()
      count.onValue = { _ in arrivals.fire() }
      database.observe { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM picture") ?? 0 }.publisher.subscribe(
        count)
      await arrivals.wait(1)
      try await database.write { try $0.execute(sql: "UPDATE picture SET size = 1 WHERE id = 99") }
      try await database.write { try $0.execute(sql: "DELETE FROM picture WHERE id = 1") }
      await arrivals.wait(2)
      #expect(count.values == [2, 1])
      count.cancel()
    }
  }
}
