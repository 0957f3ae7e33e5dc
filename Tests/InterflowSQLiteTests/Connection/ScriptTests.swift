import Testing

@testable import InterflowSQLite

@Suite struct ScriptTests {
  @Test func whatTheStatementsWriteIsPutTogether() async throws {
    let database = try await memory()
    try await database.write { try $0.execute(sql: "CREATE TABLE a (x, y); CREATE TABLE b (x); CREATE TABLE c (x)") }
    // An update without a row writes nothing.
    try await database.write { try $0.execute(sql: "INSERT INTO a VALUES (0, 0)") }
    try await database.write { db in
      try db.execute(sql: "UPDATE a SET x = 1; INSERT INTO b VALUES (1); UPDATE a SET y = 2; SELECT x FROM c")
      var written = Region()
      written.insert(table: "a", column: "x")
      written.insert(table: "a", column: "y")
      written.insert(table: "b")
      #expect(db.access.written == written)
      #expect(db.access.footprints.isEmpty, "they do not pile up")
      try db.execute(sql: "INSERT INTO c VALUES (1)")
      written.insert(table: "c")
      #expect(db.access.written == written)
    }
    try await database.write { db in
      #expect(db.access.written.isEmpty)
      // An update that replaces may delete rows, wherever in the text it is.
      try db.execute(sql: "UPDATE OR REPLACE a SET x = 1; SELECT 1")
      var written = Region()
      written.insert(table: "a")
      #expect(db.access.written == written)
      try db.execute(sql: "CREATE TABLE d (x); SELECT 1")
      #expect(db.access.written.isEverything)
    }
  }

  @Test func whatTheStatementsReadIsFound() async throws {
    let database = try await memory()
    try await database.write {
      try $0.execute(sql: "CREATE TABLE a (x, y); CREATE TABLE b (x, y); CREATE VIEW v AS SELECT x FROM b")
    }
    let region = try database.readers.runBlocking { connection in
      try connection.read(isObserved: true) { try $0.execute(sql: "SELECT x FROM a; SELECT count(*) FROM v; ") }.region
    }
    var read = Region()
    read.insert(rowsOf: "a")
    read.insert(table: "a", column: "x")
    read.insert(table: "b")
    #expect(region.tables["a"] == read.tables["a"])
    #expect(region.tables["b"] == read.tables["b"])
  }

  @Test func whiteSpaceOfSQLiteAfterAStatementIsNoStatement() async throws {
    let database = try await memory()
    let row = try await database.read { try $0.fetchOne(Int.self, sql: "SELECT 1; \u{0B}\u{FEFF}") }
    #expect(row == 1)
  }

  @Test func aReplacementBehindAByteOrderMarkIsOne() async throws {
    let database = try await memory()
    try await database.write { db in
      try db.execute(sql: "CREATE TABLE t (x INTEGER UNIQUE, y); INSERT INTO t VALUES (1, 1), (2, 2)")
    }
    let region = try await database.writer.run { connection in
      try connection.write(nil) { try $0.execute(sql: "UPDATE OR \u{FEFF}REPLACE t SET x = 1 WHERE x = 2") }.region
    }
    #expect(region.tables["t"] == .all)
    #expect(try await database.read { try $0.fetchAll(Int.self, sql: "SELECT y FROM t") } == [2])
  }

  @Test func triggersAndCommentsAreNotTakenApart() async throws {
    let database = try await memory()
    try await database.write { db in
      try db.execute(
        sql: """
          ; -- one; two
          CREATE TRIGGER t AFTER INSERT ON picture BEGIN
            UPDATE picture SET title = 'x;y' WHERE id = new.id; SELECT 'é';
          END; /* three; */ INSERT INTO picture VALUES (1, 'é;', NULL)  ; ;
          INSERT INTO picture VALUES (2, 'b', NULL) -- ; four
          """)
      let pictures = try db.pictures()
      #expect(pictures == [Picture(1, "x;y"), Picture(2, "x;y")])
    }
  }
}
