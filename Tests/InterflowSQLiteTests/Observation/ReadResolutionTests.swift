import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// Every change of a query's result must be announced by what the query is said to read and the statement is said to
/// write. Whether the result has changed is seen in the result itself.
@Suite struct ReadResolutionTests {
  private static let schema: SQL = """
    CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT, size INTEGER UNIQUE, k INTEGER);
    CREATE TABLE b (id INTEGER PRIMARY KEY, k INTEGER, note TEXT);
    CREATE TABLE child (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a(id) ON DELETE CASCADE ON UPDATE CASCADE);
    CREATE TABLE other (id INTEGER REFERENCES a(id) ON DELETE SET NULL ON UPDATE SET NULL);
    CREATE TABLE plain (x, y);
    CREATE TABLE keyed (x TEXT, y TEXT, PRIMARY KEY (x)) WITHOUT ROWID;
    CREATE TABLE generated (x INTEGER, twice AS (x * 2), thrice AS (twice + x) STORED);
    CREATE TABLE replaced (x INTEGER UNIQUE ON CONFLICT REPLACE, y INTEGER);
    CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, x INTEGER);
    CREATE TABLE log (text TEXT);
    CREATE TABLE "strange "" name" ("a column" INTEGER);
    CREATE TABLE self (id INTEGER PRIMARY KEY, parent INTEGER, id2 INTEGER);
    CREATE TABLE indexed (x, y, z);
    CREATE INDEX b_note ON b(note);
    CREATE INDEX indexed_both ON indexed(x, y);
    CREATE INDEX indexed_partly ON indexed(z) WHERE y > 1;
    INSERT INTO indexed VALUES (1, 10, 7), (2, 5, 8);
    CREATE VIEW joined AS SELECT a.name, b.note FROM a JOIN b USING (k);
    CREATE VIEW names AS SELECT name FROM a;
    CREATE TRIGGER logged AFTER UPDATE OF note ON b BEGIN
      INSERT INTO log VALUES (new.note); UPDATE OR REPLACE a SET size = 20 WHERE id = 1; END;
    CREATE TRIGGER named INSTEAD OF UPDATE ON names BEGIN UPDATE a SET name = new.name WHERE name = old.name; END;
    CREATE VIRTUAL TABLE words USING fts5(word);
    CREATE VIRTUAL TABLE boxes USING rtree(id, left, right);
    INSERT INTO a VALUES (1, 'one', 10, 100), (2, 'two', 20, 200), (3, 'three', 30, 300);
    INSERT INTO b VALUES (1, 100, 'x'), (2, 200, 'y'), (3, 999, 'z');
    INSERT INTO child VALUES (1, 1), (2, 2);
    INSERT INTO other VALUES (1), (2);
    INSERT INTO plain VALUES (1, 2), (3, 4);
    INSERT INTO keyed VALUES ('a', 'b'), ('c', 'd');
    INSERT INTO generated (x) VALUES (1), (2);
    INSERT INTO replaced VALUES (1, 10), (2, 20);
    INSERT INTO log VALUES ('begin');
    INSERT INTO "strange "" name" VALUES (1);
    INSERT INTO self VALUES (1, NULL, 2), (2, 1, 3);
    INSERT INTO words VALUES ('apple'), ('pear');
    INSERT INTO boxes VALUES (1, 0, 1);
    """

  private static let queries = [
    "SELECT count(*) FROM a", "SELECT name FROM a", "SELECT * FROM a", "SELECT rowid FROM a", "SELECT max(size) FROM a",
    "SELECT id FROM a WHERE size > 15", "SELECT 1 FROM a ORDER BY size LIMIT 1",
    "SELECT a.name FROM a JOIN b USING (k)", "SELECT count(*) FROM a NATURAL JOIN b",
    "SELECT a.name, b.note FROM a JOIN b USING (k)", "SELECT a.name FROM a JOIN b ON a.k = b.k",
    "SELECT a.name FROM a LEFT JOIN b USING (k)", "SELECT x.parent FROM self x JOIN self y USING (id2)",
    "SELECT * FROM joined", "SELECT name FROM joined", "SELECT count(*) FROM joined", "SELECT * FROM names",
    "SELECT EXISTS (SELECT 1 FROM b WHERE note = 'y')", "SELECT id FROM a WHERE k IN (SELECT k FROM b)",
    "WITH c AS (SELECT k FROM b) SELECT name FROM a, c WHERE a.k = c.k",
    "WITH RECURSIVE t(id) AS (SELECT 1 UNION SELECT s.id FROM self s JOIN t ON s.parent = t.id) SELECT * FROM t",
    "SELECT name FROM a UNION SELECT note FROM b", "SELECT sum(size) OVER (ORDER BY id) FROM a",
    "SELECT * FROM child", "SELECT a FROM child", "SELECT id FROM other", "SELECT count(id) FROM other",
    "SELECT rowid, y FROM plain", "SELECT y FROM plain WHERE rowid = 1", "SELECT y FROM keyed", "SELECT x FROM keyed",
    "SELECT twice FROM generated", "SELECT thrice FROM generated", "SELECT y FROM replaced",
    "SELECT count(*) FROM replaced",
    "SELECT * FROM log", "SELECT \"a column\" FROM \"strange \"\" name\"",
    "SELECT word FROM words WHERE words MATCH 'apple OR fig'", "SELECT count(*) FROM words",
    "SELECT id FROM boxes WHERE left <= 3",
    "SELECT value FROM json_each((SELECT json_group_array(name) FROM a))",
    "SELECT name FROM sqlite_schema ORDER BY 1", "PRAGMA table_info(a)", "SELECT name FROM pragma_table_info('a')",
    "PRAGMA user_version", "SELECT (SELECT note FROM b WHERE b.k = a.k) FROM a", "VALUES (1)", "SELECT y FROM indexed",
    "SELECT z FROM indexed WHERE y > 1", "SELECT name FROM a LIMIT 1", "SELECT abs(y) FROM indexed",
    "SELECT count(*) FROM a WHERE name GLOB 't*'", "SELECT id FROM a INDEXED BY sqlite_autoindex_a_1 WHERE size = 20",
    "SELECT note FROM b INDEXED BY b_note WHERE note > 'x'", "SELECT DISTINCT k FROM b",
    "SELECT seq FROM sqlite_sequence", "SELECT c0 FROM words_content", "SELECT count(*) FROM boxes_rowid",
  ]

  private static let changes = [
    "INSERT INTO a VALUES (4, 'four', 40, 999)", "UPDATE a SET name = 'new' WHERE id = 1",
    "UPDATE a SET size = size + 1",
    "UPDATE a SET k = 999 WHERE id = 1", "UPDATE a SET id = 9 WHERE id = 1", "UPDATE a SET rowid = 9 WHERE id = 1",
    "UPDATE OR REPLACE a SET size = 20 WHERE id = 1", "REPLACE INTO a VALUES (9, 'nine', 20, 0)",
    "INSERT INTO a VALUES (1, 'again', 11, 1) ON CONFLICT (id) DO UPDATE SET name = excluded.name",
    "INSERT INTO a VALUES (9, 'again', 20, 1) ON CONFLICT (size) DO UPDATE SET k = 100",
    "INSERT OR IGNORE INTO a VALUES (1, 'x', 1, 1)", "DELETE FROM a WHERE id = 2", "DELETE FROM a", "DELETE FROM b",
    "UPDATE b SET k = 300 WHERE id = 3", "UPDATE b SET note = 'changed' WHERE id = 1", "DELETE FROM b WHERE note = 'y'",
    "INSERT INTO b VALUES (9, 300, 'more')", "UPDATE names SET name = 'by view' WHERE name = 'two'",
    "INSERT INTO child VALUES (3, 3)", "DELETE FROM child", "UPDATE child SET a = 3", "DELETE FROM other",
    "UPDATE plain SET rowid = rowid + 10", "UPDATE plain SET y = 5", "DELETE FROM plain",
    "INSERT INTO plain VALUES (5, 6)",
    "UPDATE keyed SET y = 'e' WHERE x = 'a'", "REPLACE INTO keyed VALUES ('a', 'f')", "DELETE FROM keyed",
    "UPDATE keyed SET x = 'z' WHERE x = 'a'", "INSERT INTO keyed VALUES ('a', '') ON CONFLICT DO UPDATE SET y = 'g'",
    "UPDATE generated SET x = x + 1", "INSERT INTO generated (x) VALUES (5)", "UPDATE replaced SET x = 2 WHERE x = 1",
    "INSERT INTO replaced VALUES (1, 30)", "DELETE FROM log", "UPDATE \"strange \"\" name\" SET \"a column\" = 2",
    "UPDATE self SET id2 = 3", "UPDATE self SET parent = 2 WHERE id = 1", "INSERT INTO self VALUES (3, 2, 2)",
    "INSERT INTO words VALUES ('fig')", "DELETE FROM words", "UPDATE words SET word = 'fig' WHERE word = 'apple'",
    "INSERT INTO boxes VALUES (2, 2, 3)", "DELETE FROM boxes", "DROP TABLE b", "DROP VIEW joined",
    "ALTER TABLE a ADD COLUMN more DEFAULT 5", "ALTER TABLE a RENAME TO renamed",
    "ALTER TABLE b RENAME COLUMN note TO remark",
    "CREATE TABLE added (x)", "CREATE INDEX i ON a(name)", "DROP INDEX b_note", "PRAGMA user_version = 7",
    "WITH c AS (SELECT 1 AS id) UPDATE a SET name = 'with' WHERE id IN (SELECT id FROM c)",
    "UPDATE a SET name = b.note FROM b WHERE a.k = b.k", "CREATE TABLE copied AS SELECT * FROM a",
    "DROP VIEW names; CREATE VIEW names AS SELECT note AS name FROM b", "DELETE FROM a WHERE 0",
    "UPDATE indexed SET x = 3 WHERE x = 1",
    "UPDATE indexed SET y = 0", "UPDATE indexed SET y = -9223372036854775808", "UPDATE a SET id = -id",
    "DROP TRIGGER logged; CREATE TRIGGER other AFTER DELETE ON log BEGIN DELETE FROM plain; END; DELETE FROM log",
    "INSERT INTO counted (x) VALUES (1)",
    "DROP TABLE keyed; CREATE TABLE keyed (x, y AS (x + 1)); INSERT INTO keyed (x) VALUES (1)",
  ]

  /// How many more changes are made in the database of each.
  private static let changesAfterwards = 3

  /// The first write of a connection reports them, and no other does.
  @Test func tablesThatAreWrittenUnreportedMeanEverything() async throws {
    let database = Database.inMemory()
    try await database.write { try $0.execute(sql: Self.schema) }
    for query in ["SELECT c0 FROM words_content", "SELECT count(*) FROM boxes_node", "SELECT seq FROM sqlite_sequence"]
    {
      #expect(try await database.outcome(of: query).region.isEverything, "\(query)")
    }
    #expect(try await !database.outcome(of: "SELECT note FROM b").region.isEverything)
    await database.close()
  }

  @Test(arguments: changes) func noChangeIsMissed(sql: String) async throws {
    // One thread works at a time.
    let places = hasThreadSanitizer ? [true] : [true, false]
    for isInMemory in places {
      try await
        (isInMemory ? check(sql, on: .inMemory()) : withFolder { try await check(sql, on: Database(path: $0 + "/a")) })
    }
  }

  private func check(_ sql: String, on database: Database) async throws {
    try await database.write { try $0.execute(sql: Self.schema) }
    var before: [ObservedOutcome] = []
    for query in Self.queries { before.append(try await database.outcome(of: query)) }
    // Then others, one after the other: statements that are kept meet another schema and other content.
    let first = Self.changes.firstIndex(of: sql) ?? 0
    let following = (1...Self.changesAfterwards).map { Self.changes[(first + $0 * 13) % Self.changes.count] }
    for change in [sql] + following {
      // One may fail after those before it, such as one of a table that has been dropped. It has no effect then.
      let written = try? await database.writer.run { connection in
        try connection.write { try $0.execute(sql: SQL(verbatim: change)) }.region
      }
      #expect(written != nil || change != sql)
      for (index, query) in Self.queries.enumerated() {
        let after = try await database.outcome(of: query)
        if after.result != before[index].result {
          #expect(
            written.map { before[index].region.isAffected(by: $0) } == true,
            "\(query) after \(change), which began with \(sql)")
        }
        before[index] = after
      }
    }
    await database.close()
  }

  @Test(arguments: [
    ("SELECT name FROM a", "UPDATE a SET k = k + 1"), ("SELECT count(*) FROM a", "UPDATE a SET name = 'x'"),
    ("SELECT name FROM a", "INSERT INTO b VALUES (9, 9, 'x')"), ("SELECT id FROM log", "DELETE FROM plain"),
    ("SELECT note FROM b WHERE id = 1", "UPDATE b SET k = 0"), ("SELECT name FROM a, b", "UPDATE b SET k = 0"),
    ("VALUES (1)", "DELETE FROM log"),
  ])
  func whatIsNotReadDoesNotCount(query: String, sql: String) async throws {
    let database = Database.inMemory()
    try await database.write { try $0.execute(sql: Self.schema) }
    let read = try await database.outcome(of: query).region
    let written = try await database.writer.run { try $0.write { try $0.execute(sql: SQL(verbatim: sql)) }.region }
    #expect(!read.isAffected(by: written))
  }

  @Test func aTriggerThatIsMadeLaterCountsForACachedStatement() async throws {
    let database = Database.inMemory()
    try await database.write { try $0.execute(sql: Self.schema) }
    @Sendable func insert() async throws -> Region {
      try await database.writer.run { try $0.write { try $0.execute(sql: "INSERT INTO plain VALUES (1, 2)") }.region }
    }
    #expect(try await insert().tables == ["plain": .all])
    try await database.write {
      try $0.execute(sql: "CREATE TRIGGER late AFTER INSERT ON plain BEGIN DELETE FROM log; END")
    }
    #expect(try await insert().tables == ["plain": .all, "log": .all])
  }

  @Test func aViewThatIsMadeAgainCountsForACachedQuery() async throws {
    try await withFolder { folder in
      var options = DatabaseOptions()
      options.readerCount = 1
      let database = try await Database(path: folder + "/a", options: options)
      try await database.write { try $0.execute(sql: Self.schema) }
      #expect(try await database.outcome(of: "SELECT name FROM names").region.tables.keys.sorted() == ["a", "names"])
      try await database.write {
        try $0.execute(sql: "DROP VIEW names; CREATE VIEW names AS SELECT text AS name FROM log")
      }
      #expect(try await database.outcome(of: "SELECT name FROM names").region.tables.keys.contains("log"))
      await database.close()
    }
  }
}
