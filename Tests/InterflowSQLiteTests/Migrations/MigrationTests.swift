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
      let result4 = try db.fetchAll(
        String.self,
        sql: "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE TABLE%' AND name <> 'interflow_migration'")
      #expect(result4 == ["picture"])
    }
    try await database.migrate(Self.steps)
  }

  @Test func aTableCanBeMadeAgainWithoutItsChildren() async throws {
    let database = Database.inMemory()
    let make = Migration(1) { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent(id) ON DELETE CASCADE);
          INSERT INTO parent VALUES (1, 'a');
          INSERT INTO child VALUES (1, 1);
          """)
    }
    let rebuild = Migration(2) { db in
      try db.execute(
        sql: """
          CREATE TABLE new_parent (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
          INSERT INTO new_parent SELECT * FROM parent;
          DROP TABLE parent;
          ALTER TABLE new_parent RENAME TO parent;
          """)
    }
    try await database.migrate([make, rebuild])
    let children = try await database.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM child") }
    #expect(children == 1)
    // They are enforced again.
    let error = await databaseError {
      try await database.write { try $0.execute(sql: "INSERT INTO child VALUES (2, 99)") }
    }
    #expect(error?.kind == .constraint)
  }

  @Test func aStepThatLeavesARowWithoutItsParentFails() async throws {
    let database = Database.inMemory()
    let make = Migration(1) { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY);
          CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent(id));
          INSERT INTO parent VALUES (1);
          INSERT INTO child VALUES (1, 1);
          """)
    }
    let lose = Migration(2) { try $0.execute(sql: "DELETE FROM parent") }
    let error = await databaseError { try await database.migrate([make, lose]) }
    #expect(error?.kind == .constraint)
    #expect(error?.message == "after the migration to version 2, rows of child lack their parents in parent")
    let version = try await database.read { try $0.fetchOne(Int.self, sql: "PRAGMA user_version") }
    #expect(version == 1)
  }
}
