import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

/// Every kind of change reaches an observer.
@Suite struct ObservedChangesTests {
  private static let schema: SQL = """
    CREATE TABLE a (id INTEGER PRIMARY KEY, x INTEGER UNIQUE);
    CREATE TABLE child (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a(id) ON DELETE CASCADE);
    CREATE TABLE keyed (name TEXT PRIMARY KEY, x INTEGER) WITHOUT ROWID;
    CREATE TABLE log (text TEXT);
    CREATE TRIGGER logged AFTER INSERT ON keyed BEGIN INSERT INTO log VALUES (new.name); END;
    CREATE VIEW sums AS SELECT sum(x) AS total FROM a;
    INSERT INTO a VALUES (1, 10), (2, 20);
    INSERT INTO child VALUES (1, 1), (2, 2);
    INSERT INTO keyed VALUES ('k', 1);
    """

  private static let cases: [(name: String, query: String, change: String, before: String, after: String)] = [
    ("truncate optimisation", "SELECT count(*) FROM child", "DELETE FROM child", "2", "0"),
    ("trigger", "SELECT count(*) FROM log", "INSERT INTO keyed VALUES ('l', 2)", "1", "2"),
    ("cascade", "SELECT count(*) FROM child", "DELETE FROM a WHERE id = 1", "2", "1"),
    (
      "upsert", "SELECT x FROM keyed WHERE name = 'k'",
      "INSERT INTO keyed VALUES ('k', 0) ON CONFLICT DO UPDATE SET x = 7", "1", "7"
    ),
    ("replacement", "SELECT count(*) FROM a", "REPLACE INTO a VALUES (1, 20)", "2", "1"),
    ("update that replaces", "SELECT count(*) FROM a", "UPDATE OR REPLACE a SET x = 20 WHERE id = 1", "2", "1"),
    ("table without row numbers", "SELECT count(*) FROM keyed", "DELETE FROM keyed WHERE name = 'k'", "1", "0"),
    ("view", "SELECT total FROM sums", "UPDATE a SET x = x + 1", "30", "32"),
    ("new view", "SELECT total FROM sums", "DROP VIEW sums; CREATE VIEW sums AS SELECT 5 AS total", "30", "5"),
    ("new table", "SELECT count(*) FROM sqlite_schema WHERE name = 'new'", "CREATE TABLE new (x)", "0", "1"),
    ("new column", "SELECT count(*) FROM pragma_table_info('a')", "ALTER TABLE a ADD COLUMN y", "2", "3"),
    (
      "new trigger and its effect", "SELECT count(*) FROM log",
      "CREATE TRIGGER t AFTER DELETE ON child BEGIN DELETE FROM log; END; DELETE FROM child", "1", "0"
    ),
  ]

  @Test(arguments: cases.indices, [true, false]) func itIsSeen(index: Int, isInMemory: Bool) async throws {
    let (_, query, change, before, after) = Self.cases[index]
    try await withFolder { folder in
      let database = isInMemory ? .inMemory() : try await Database(path: folder + "/a.sqlite")
      try await database.write { try $0.execute(sql: Self.schema) }
      let recorder = RecordingSubscriber<String, DatabaseError>()
      let arrivals = Signal()
      recorder.onValue = { _ in arrivals.fire() }
      let result = database.observe {
        try $0.fetchOne(String.self, sql: "SELECT CAST((\(SQL(verbatim: query))) AS TEXT)") ?? ""
      }
      result.publisher.subscribe(recorder)
      await arrivals.wait(1)
      try await database.write { try $0.execute(sql: SQL(verbatim: change)) }
      await arrivals.wait(2)
      recorder.cancel()
      #expect(recorder.values == [before, after])
      await database.close()
    }
  }

  /// Between the first fetch and the start of the observation nothing is lost, because there is nothing between.
  @Test func aChangeDuringTheFirstFetchIsNotMissed() async throws {
    try await withFile { database in
      let hasRead = Signal()
      let proceed = Latch()
      let query = database.observe { db in
        let count = try db.pictures().count
        hasRead.fire()
        if count == 0 { proceed.wait() }
        return count
      }
      let recorder = RecordingSubscriber<Int, DatabaseError>()
      let arrivals = Signal()
      recorder.onValue = { _ in arrivals.fire() }
      query.publisher.subscribe(recorder)
      await hasRead.wait()
      try await database.write { try $0.insert(Picture(1, "a")) }
      proceed.open()
      await arrivals.wait(2)
      recorder.cancel()
      #expect(recorder.values == [0, 1])
    }
  }
}
