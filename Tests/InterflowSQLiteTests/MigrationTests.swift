import InterflowSQLite
import InterflowTestSupport
import Testing

@Suite struct MigrationTests {
  private static let steps = [
    Migration(2) { try $0.execute(sql: "ALTER TABLE picture ADD COLUMN date TEXT") },
    Migration(1) { try $0.execute(sql: Picture.schema) },
  ]

  @Test func theStepsThatAreMissingRunInOrder() async throws {
    let database = Database.inMemory()
    try await database.migrate([Self.steps[1]])
    try await database.write { try $0.insert(Picture(1, "a")) }
    try await database.migrate(Self.steps)
    try await database.migrate(Self.steps)
    try await database.read { db in
      let result1 = try db.fetchOne(Int.self, sql: "PRAGMA user_version")
      #expect(result1 == 2)
      let result2 = try db.fetchAll(Int.self, sql: "SELECT id FROM picture WHERE date IS NULL")
      #expect(result2 == [1])
    }
  }

  @Test func aNewerSchemaIsRefused() async throws {
    let database = Database.inMemory()
    try await database.migrate(Self.steps)
    let error = await databaseError { try await database.migrate([Self.steps[1]]) }
    #expect(error?.kind == .newerSchema)
    #expect(error?.message == "the schema has version 2, but the newest known is 1")
    #expect(await databaseError { try await database.migrate([]) }?.kind == .newerSchema)
  }

  @Test func aStepThatFailsLeavesTheVersionBefore() async throws {
    let database = Database.inMemory()
    let failing = Migration(2) { db in
      try db.execute(sql: "CREATE TABLE star (id INTEGER)")
      throw TestError()
    }
    await #expect(throws: TestError.self) { try await database.migrate([Self.steps[1], failing]) }
    try await database.read { db in
      let result3 = try db.fetchOne(Int.self, sql: "PRAGMA user_version")
      #expect(result3 == 1)
      let result4 = try db.fetchAll(String.self, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
      #expect(result4 == ["picture"])
    }
    try await database.migrate(Self.steps)
  }
}
