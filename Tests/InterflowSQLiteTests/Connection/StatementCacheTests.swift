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
}
