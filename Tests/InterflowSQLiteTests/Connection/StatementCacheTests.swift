import InterflowTestSupport
import Testing

@testable import InterflowSQLite

@Suite struct StatementCacheTests {
  private func withConnection(
    capacity: Int, _ body: (DatabaseConnection) throws -> Void
  ) throws {
    var options = DatabaseOptions()
    options.statementCacheCapacity = capacity
    let connection = try DatabaseConnection(
      ConnectionConfiguration(location: .memory, options: options, isWriter: true), Interruption())
    _ = try connection.write(nil) { try body($0) }
  }

  /// Runs a statement, and tells which it was.
  private func run(_ sql: String, _ db: DatabaseConnection) throws -> Statement {
    let statement = try db.statement(sql, [])
    _ = try statement.step()
    db.finish(statement)
    return statement
  }

  @Test func aStatementIsCompiledOnce() throws {
    try withConnection(capacity: 10) { db in
      let first = try run("SELECT 1", db)
      let second = try run("SELECT 1", db)
      #expect(first === second)
    }
  }

  @Test func textsThatDifferInTheirBytesAreDifferentStatements() throws {
    let (composed, decomposed) = ("SELECT '\u{E9}'", "SELECT 'e\u{301}'")
    #expect(composed == decomposed)
    try withConnection(capacity: 10) { db in
      #expect(try run(composed, db) !== run(decomposed, db))
      for sql in [composed, decomposed, composed] {
        let text = try db.fetchOne(String.self, sql: SQL(verbatim: sql))
        #expect(text?.utf8.count == (sql.utf8.count == composed.utf8.count ? 2 : 3))
      }
    }
    var known = RecentlyUsed<Int>(capacity: 10)
    known.insert(1, composed)
    known.insert(2, decomposed)
    #expect(known.value(composed) == 1)
    #expect(known.value(decomposed) == 2)
  }

  @Test func oneThatIsInUseIsNotSharedWithOthers() throws {
    try withConnection(capacity: 10) { db in
      let first = try db.statement("SELECT 1", [])
      let second = try db.statement("SELECT 1", [])
      #expect(first !== second)
      db.finish(first)
      db.finish(second)
    }
  }

  @Test func thoseUsedLastAreKept() throws {
    try withConnection(capacity: 2) { db in
      let one = try run("SELECT 1", db)
      let two = try run("SELECT 2", db)
      #expect(try run("SELECT 1", db) === one)
      _ = try run("SELECT 3", db)
      #expect(try run("SELECT 1", db) === one)
      #expect(try run("SELECT 2", db) !== two)
    }
  }

  @Test func withoutCapacityNoneIsKept() throws {
    try withConnection(capacity: 0) { db in
      let first = try run("SELECT 1", db)
      #expect(try run("SELECT 1", db) !== first)
    }
  }

  @Test func oneThatIsKeptHasNoValuesOfBefore() throws {
    try withConnection(capacity: 10) { db in
      let first = try db.fetchOne(String.self, sql: "SELECT ?", arguments: ["a"])
      #expect(first == "a")
      #expect(throws: DatabaseError.self) { try db.fetchOne(String.self, sql: "SELECT ?") }
      let second = try db.fetchOne(String.self, sql: "SELECT ?", arguments: ["b"])
      #expect(second == "b")
    }
  }

  @Test func theCacheIsAsAModelSays() throws {
    try withConnection(capacity: 4) { db in
      var random = Random(3)
      var model: [(sql: String, statement: Statement)] = []
      for _ in 0..<2_000 {
        let sql = "SELECT \(Int.random(in: 0..<7, using: &random))"
        let known = model.firstIndex { $0.sql == sql }.map { model.remove(at: $0).statement }
        let statement = try run(sql, db)
        if let known { #expect(known === statement) } else { #expect(!model.contains { $0.statement === statement }) }
        model.append((sql, statement))
        if model.count > 4 { model.removeFirst() }
      }
    }
  }

  @Test func whatIsKnownIsBounded() {
    var known = RecentlyUsed<Int>(capacity: 10)
    for number in 0..<100 {
      known.insert(number, "\(number)")
      #expect(known.value("0") == 0, "what is used is kept")
      #expect(known.count <= 10)
    }
    #expect(known.value("99") == 99)
    #expect(known.value("50") == nil)
  }

  @Test func whatAStatementReadsIsKnownAfterItHasLeftTheCache() throws {
    var options = DatabaseOptions()
    options.statementCacheCapacity = 0
    let connection = try DatabaseConnection(
      ConnectionConfiguration(location: .memory, options: options, isWriter: true), Interruption())
    _ = try connection.write(nil) { try $0.execute(sql: "CREATE TABLE a (x); CREATE TABLE b (x)") }
    func read() throws -> Region {
      try connection.read(isObserved: true) { _ = try $0.fetchAll(Int.self, sql: "SELECT x FROM a") }.region
    }
    #expect(try read().tables.keys.sorted() == ["a"])
    // Another answer shows that this one is taken.
    var other = Region()
    other.insert(table: "b")
    connection.knowledge.regions.insert(other, "SELECT x FROM a")
    #expect(try read() == other)
    // A change of the schema makes it void.
    _ = try connection.write(nil) { try $0.execute(sql: "CREATE TABLE c (x)") }
    #expect(try read().tables.keys.sorted() == ["a"])
  }

  @Test(arguments: [0, 500]) func aViewThatIsMadeAgainIsReadAgain(capacity: Int) async throws {
    try await withFolder { folder in
      var options = DatabaseOptions()
      options.readerCount = 1
      options.statementCacheCapacity = capacity
      let database = try await Database(path: folder + "/a", options: options)
      try await database.write {
        try $0.execute(sql: "CREATE TABLE a (x); CREATE TABLE b (x); CREATE VIEW v AS SELECT x FROM a")
      }
      func tables() async throws -> [String] {
        try await database.readers.run { connection in
          try connection.read(isObserved: true) { _ = try $0.fetchAll(Int.self, sql: "SELECT x FROM v") }.region
        }.tables.keys.sorted()
      }
      #expect(try await tables() == ["a", "v"])
      try await database.write { try $0.execute(sql: "DROP VIEW v; CREATE VIEW v AS SELECT x FROM b") }
      #expect(try await tables() == ["b", "v"])
      await database.close()
    }
  }

  /// What a statement writes is found out when it is prepared for a write.
  @Test func aStatementThatAReadHasRefusedIsReportedByAWrite() async throws {
    let database = try await memory()
    try await database.write { try $0.insert(Picture(1, "a")) }
    let error = await databaseError { try await database.read { try $0.execute(sql: "DELETE FROM picture") } }
    #expect(error?.kind == .readOnly)
    let region = try await database.writer.run { connection in
      try connection.write { try $0.execute(sql: "DELETE FROM picture") }.region
    }
    #expect(region.tables["picture"] == .all)
  }
}
