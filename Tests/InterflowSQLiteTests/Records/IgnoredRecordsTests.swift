import Testing

@testable import InterflowSQLite

/// Records that constraints and triggers of their table ignore.
@Suite struct IgnoredRecordsTests {
  private typealias Photo = RecordTests.Photo

  private static func ignoring(_ schema: SQL) async throws -> Database {
    let database = Database.inMemory()
    try await database.write { db in
      try db.execute(sql: schema)
      try db.insert(Photo(id: 1, title: "a"))
      try db.insert(Photo(id: 2, title: "b"))
    }
    return database
  }

  @Test(
    arguments: [
      "CREATE TABLE photo (id INTEGER PRIMARY KEY, title TEXT UNIQUE ON CONFLICT IGNORE, rating REAL)",
      """
      CREATE TABLE photo (id INTEGER PRIMARY KEY, title TEXT, rating REAL);
      CREATE TRIGGER i BEFORE INSERT ON photo WHEN EXISTS (SELECT 1 FROM photo WHERE title = new.title)
        BEGIN SELECT RAISE(IGNORE); END;
      CREATE TRIGGER u BEFORE UPDATE ON photo WHEN EXISTS (SELECT 1 FROM photo WHERE title = new.title AND id <> old.id)
        BEGIN SELECT RAISE(IGNORE); END;
      """,
    ] as [SQL])
  func aRowThatIsIgnoredIsAnError(schema: SQL) async throws {
    let database = try await Self.ignoring(schema)
    let changes: [@Sendable (DatabaseConnection) throws -> Void] = [
      { try $0.insert(Photo(id: 3, title: "a")) }, { try $0.insert(Photo(title: "a")) },
      { try $0.upsert(Photo(id: 3, title: "a")) }, { try $0.save(Photo(id: 3, title: "a")) },
      { try $0.update(Photo(id: 2, title: "a")) }, { try $0.save(Photo(id: 2, title: "a")) },
    ]
    for (index, change) in changes.enumerated() {
      let error = await databaseError { try await database.write(change) }
      #expect(error?.kind == .constraint, "\(index): \(String(describing: error))")
      #expect(error?.message.contains("photo") == true)
    }
    #expect(try await database.read { try $0.fetchAll(Photo.self) }.map(\.title) == ["a", "b"])
    let absent = await databaseError { try await database.write { try $0.update(Photo(id: 5, title: "a")) } }
    #expect(absent?.kind == .recordNotFound)
  }

  @Test func aViewCountsNoRows() async throws {
    let database = try await Self.ignoring(
      """
      CREATE TABLE stored (id INTEGER PRIMARY KEY, title TEXT, rating REAL);
      CREATE VIEW photo AS SELECT * FROM stored;
      CREATE TRIGGER t INSTEAD OF INSERT ON photo BEGIN INSERT INTO stored VALUES (new.id, new.title, new.rating); END;
      """)
    #expect(try await database.read { try $0.fetchAll(Photo.self) }.map(\.title) == ["a", "b"])
  }
}
