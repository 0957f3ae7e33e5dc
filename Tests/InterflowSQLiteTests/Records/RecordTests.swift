import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

/// Records that are written and fetched.
@Suite struct RecordTests {
  struct Photo: DatabaseRecord, Equatable {
    static let databaseTableName = "photo"
    var id: Int64?
    var title: String
    var rating: Double?
  }

  /// A key of two columns, in another order than the columns, with names that SQL takes for something else.
  struct Entry: DatabaseRecord, Equatable {
    static let databaseTableName = "group by \"x\" `y`"
    var path: String
    var folder: Int
    var order: Int?

    enum CodingKeys: String, CodingKey {
      case path, folder
      case order = "order\"`s"
    }
  }

  static func database() async throws -> Database {
    let database = Database.inMemory()
    try await database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE photo (id INTEGER PRIMARY KEY, title TEXT NOT NULL, rating REAL, likes INTEGER DEFAULT 3);
          CREATE TABLE \(SQLIdentifier(Entry.databaseTableName)) (
            path TEXT, folder INTEGER, \(SQLIdentifier("order\"`s")) INTEGER, PRIMARY KEY (folder, path)) WITHOUT ROWID;
          """)
    }
    return database
  }

  private static func likes(_ db: DatabaseConnection, _ id: Int64?) throws -> Int? {
    try db.fetchOne(Int.self, sql: "SELECT likes FROM photo WHERE id = ?", arguments: [id])
  }

  // MARK: Writing

  @Test func aGeneratedKeyComesBack() async throws {
    let database = try await Self.database()
    try await database.write { db in
      let first = try db.insert(Photo(title: "a"))
      let second = try db.insert(Photo(title: "b", rating: 2))
      #expect(first == Photo(id: 1, title: "a"))
      #expect(second == Photo(id: 2, title: "b", rating: 2))
      #expect(try db.insert(Photo(id: 9, title: "c")).id == 9)
      #expect(try db.fetchAll(Photo.self).count == 3)
      #expect(try Self.likes(db, 2) == 3)
    }
  }

  @Test func aKeyThatIsNoNumberGetsItsDefault() async throws {
    struct Token: DatabaseRecord {
      static let databaseTableName = "token"
      var key: String?
      var size: Int?
      var twice: Int?
    }
    let database = Database.inMemory()
    try await database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE token (
            key TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(4)))), size INTEGER,
            twice INTEGER GENERATED ALWAYS AS (size * 2)) WITHOUT ROWID
          """)
      let token = try db.insert(Token(size: 4))
      #expect(token.key?.count == 8)
      #expect(token.twice == 8)
      // The computed column is not written.
      try db.update(token)
      #expect(try db.upsert(Token(key: token.key, size: 5)).twice == 10)
    }
  }

  @Test func anUpdateWritesTheColumnsOfTheRecordOnly() async throws {
    let database = try await Self.database()
    try await database.write { db in
      var photo = try db.insert(Photo(title: "a", rating: 1))
      try db.insert(Photo(title: "b", rating: 2))
      try db.execute(sql: "UPDATE photo SET likes = 8")
      photo.title = "new"
      photo.rating = nil
      try db.update(photo)
      #expect(try db.fetch(key: 1) == Photo(id: 1, title: "new"))
      #expect(try db.fetch(key: 2) == Photo(id: 2, title: "b", rating: 2))
      #expect(try Self.likes(db, 1) == 8)
    }
  }

  @Test func anUpdateOfNoRowIsReported() async throws {
    let database = try await Self.database()
    let absent = await databaseError { try await database.write { try $0.update(Photo(id: 5, title: "a")) } }
    #expect(absent?.kind == .recordNotFound)
    #expect(absent?.message.contains("photo") == true)
    let withoutKey = await databaseError { try await database.write { try $0.update(Photo(title: "a")) } }
    #expect(withoutKey?.kind == .recordNotFound)
  }

  @Test func anUpsertReplacesTheValuesOfTheRow() async throws {
    let database = try await Self.database()
    try await database.write { db in
      #expect(try db.upsert(Photo(id: 4, title: "a", rating: 1)).id == 4)
      try db.execute(sql: "UPDATE photo SET likes = 8")
      try db.upsert(Photo(id: 4, title: "b"))
      #expect(try db.fetchAll() == [Photo(id: 4, title: "b")])
      #expect(try Self.likes(db, 4) == 8)
      #expect(try db.upsert(Photo(title: "c")).id == 5)
    }
  }

  @Test func anotherConstraintIsNoReasonToUpdate() async throws {
    let database = try await Self.database()
    try await database.write { try $0.execute(sql: "CREATE UNIQUE INDEX title ON photo (title)") }
    let error = await databaseError {
      try await database.write { db in
        try db.insert(Photo(title: "a"))
        try db.upsert(Photo(id: 7, title: "a"))
      }
    }
    #expect(error?.kind == .constraint)
  }

  @Test func savingUpdatesOrInserts() async throws {
    let database = try await Self.database()
    try await database.write { db in
      let photo = try db.save(Photo(title: "a"))
      #expect(photo.id == 1)
      #expect(try db.save(Photo(id: 1, title: "b")).title == "b")
      #expect(try db.save(Photo(id: 3, title: "c")).id == 3)
      #expect(try db.fetchAll(Photo.self).map(\.title) == ["b", "c"])
    }
  }

  @Test func deletingSaysWhetherThereWasARow() async throws {
    let database = try await Self.database()
    try await database.write { db in
      let photo = try db.insert(Photo(title: "a"))
      try db.insert(Photo(title: "b"))
      #expect(try db.delete(photo))
      #expect(try !db.delete(photo))
      #expect(try !db.delete(Photo(title: "b")))
      #expect(try db.delete(Photo.self, key: 2))
      #expect(try !db.delete(Photo.self, key: 2))
      #expect(try db.fetchAll(Photo.self).isEmpty)
    }
  }

  @Test func aKeyCanHaveSeveralColumns() async throws {
    let database = try await Self.database()
    try await database.write { db in
      for folder in 1...2 {
        for path in ["a", "b"] { try db.insert(Entry(path: path, folder: folder, order: folder)) }
      }
      try db.update(Entry(path: "b", folder: 1, order: 9))
      try db.upsert(Entry(path: "b", folder: 2, order: 8))
      // The order is that of the primary key.
      #expect(try db.fetch(Entry.self, key: [1, "b"])?.order == 9)
      #expect(try db.fetch(Entry.self, key: ["Path": "b", "folder": 2])?.order == 8)
      #expect(try db.fetch(Entry.self, key: [1, "c"]) == nil)
      #expect(try db.delete(Entry.self, key: ["folder": 1, "path": "a"]))
      #expect(try db.delete(Entry(path: "b", folder: 1)))
      #expect(try db.fetchAll(Entry.self).map(\.order) == [2, 8])
    }
    for key: DatabaseArguments in [[1], [1, "a", 2], ["folder": 1], ["folder": 1, "name": "a"]] {
      let error = await databaseError { try await database.read { _ = try $0.fetch(Entry.self, key: key) } }
      #expect(error?.kind == .misuse)
    }
  }

  @Test func aLiteralOfNumbersIsAKeyOfSeveralColumns() async throws {
    struct Cell: DatabaseRecord, Equatable {
      static let databaseTableName = "cell"
      var x: Int
      var y: Int
      var text: String?
    }
    struct Blob: DatabaseRecord, Equatable {
      static let databaseTableName = "blob"
      var key: [UInt8]
    }
    let database = Database.inMemory()
    try await database.write { db in
      try db.execute(
        sql: "CREATE TABLE cell (x, y, text, PRIMARY KEY (x, y)); CREATE TABLE blob (key BLOB PRIMARY KEY)")
      try db.insert(Cell(x: 1, y: 2, text: "a"))
      #expect(try db.fetch(Cell.self, key: [1, 2])?.text == "a")
      #expect(try db.delete(Cell.self, key: [1, 2]))
      // Bytes are one value.
      let bytes: [UInt8] = [1, 2]
      try db.insert(Blob(key: bytes))
      #expect(try db.fetch(Blob.self, key: bytes) == Blob(key: bytes))
      #expect(try db.delete(Blob.self, key: bytes))
    }
  }

  @Test func aRecordCanBeNothingButItsKey() async throws {
    struct Tag: DatabaseRecord {
      static let databaseTableName = "tag"
      var name: String
    }
    let database = Database.inMemory()
    try await database.write { db in
      try db.execute(sql: "CREATE TABLE tag (name TEXT PRIMARY KEY)")
      try db.insert(Tag(name: "a"))
      try db.update(Tag(name: "a"))
      try db.upsert(Tag(name: "a"))
      try db.save(Tag(name: "b"))
      #expect(try db.fetchAll(Tag.self).map(\.name) == ["a", "b"])
    }
    let error = await databaseError { try await database.write { try $0.update(Tag(name: "c")) } }
    #expect(error?.kind == .recordNotFound)
  }

  // MARK: Fetching

  @Test func recordsAreFetchedInTheOrderOfTheirKeys() async throws {
    let database = try await Self.database()
    try await database.write { db in
      for title in ["a", "b", "c"] { try db.insert(Photo(title: title)) }
    }
    try await database.read { (db) throws in
      #expect(try db.fetch(Photo.self, keys: [3, 7, 1]).map(\.title) == ["c", "a"])
      #expect(try db.fetch(Photo.self, keys: [Int]()).isEmpty)
      // More than a statement has parameters.
      #expect(try db.fetch(Photo.self, keys: 1...300_000).count == 3)
      #expect(try db.fetch(Photo.self, key: nil as Int?) == nil)
    }
  }

  @Test func aColumnThatWasNotFetchedIsNotSavedAsNull() async throws {
    let database = try await Self.database()
    try await database.write { try $0.insert(Photo(title: "a", rating: 5)) }
    let error = await databaseError {
      try await database.write { db in
        if let photo = try db.fetchOne(Photo.self, sql: "SELECT id, title FROM photo") { try db.update(photo) }
      }
    }
    #expect(error?.kind == .decoding)
    #expect(error?.message.contains("rating") == true)
    let cursor = await databaseError {
      try await database.read { db in
        _ = try db.fetchCursor(sql: "SELECT 1 AS id, '' AS title").next()?.decode(Photo.self)
      }
    }
    #expect(cursor?.kind == .decoding)
    #expect(try await database.read { try $0.fetch(Photo.self, key: 1) }?.rating == 5)
  }

  @Test func columnsAreFoundWithoutTheCaseOfTheirLetters() async throws {
    let database = Database.inMemory()
    try await database.write { db in
      try db.execute(sql: "CREATE TABLE Photo (ID INTEGER PRIMARY KEY, Title TEXT, RATING REAL)")
      let photo = try db.insert(Photo(title: "a", rating: 2))
      #expect(photo == Photo(id: 1, title: "a", rating: 2))
      try db.update(Photo(id: 1, title: "b", rating: 3))
      #expect(try db.fetch(key: 1) == Photo(id: 1, title: "b", rating: 3))
    }
  }

  // MARK: Misuse

  @Test func whatDoesNotFitTheTableIsNamed() async throws {
    struct Unknown: DatabaseRecord {
      static let databaseTableName = "photo"
      var id = 1
      var color = "red"
    }
    struct Keyless: DatabaseRecord {
      static let databaseTableName = "photo"
      var title = "a"
    }
    struct NoTable: DatabaseRecord {
      static let databaseTableName = "nothing"
    }
    struct NoKey: DatabaseRecord {
      static let databaseTableName = "log"
      var text = "a"
    }
    let database = try await Self.database()
    try await database.write { try $0.execute(sql: "CREATE TABLE log (text TEXT)") }
    func error(_ body: @escaping @Sendable (DatabaseConnection) throws -> Void) async -> DatabaseError? {
      await databaseError { try await database.write(body) }
    }
    let unknown = await error { try $0.insert(Unknown()) }
    #expect(unknown?.kind == .misuse)
    #expect(unknown?.message.contains("color") == true)
    let keyless = await error { try $0.update(Keyless()) }
    #expect(keyless?.kind == .misuse)
    #expect(keyless?.message.contains("id") == true)
    #expect(await error { try $0.insert(NoTable()) }?.message.contains("nothing") == true)
    #expect(await error { try $0.update(NoKey()) }?.message.contains("log has no primary key") == true)
    try await database.write { try $0.insert(NoKey()) }
    #expect(try await database.read { try $0.fetchAll(NoKey.self) }.count == 1)
  }

  @Test func aReadWritesNoRecord() async throws {
    let database = try await Self.database()
    let error = await databaseError { try await database.read { _ = try $0.insert(Photo(title: "a")) } }
    #expect(error?.kind == .readOnly)
  }

  // MARK: The schema

  @Test func aChangeOfTheSchemaIsSeen() async throws {
    struct Wide: DatabaseRecord {
      static let databaseTableName = "photo"
      var id: Int64?
      var title: String
      var place: String?
    }
    let database = try await Self.database()
    try await database.write { db in
      try db.insert(Photo(title: "a"))
      try? db.savepoint {
        try db.execute(sql: "ALTER TABLE photo ADD COLUMN place TEXT")
        try db.insert(Wide(title: "b", place: "x"))
        throw CancellationError()
      }
      #expect(throws: DatabaseError.self) { try db.insert(Wide(title: "c", place: "x")) }
      // The version of the schema is now what it was in the savepoint.
      try db.execute(sql: "ALTER TABLE photo ADD COLUMN other TEXT")
      #expect(throws: DatabaseError.self) { try db.insert(Wide(title: "d", place: "x")) }
    }
    try await database.write { try $0.execute(sql: "ALTER TABLE photo ADD COLUMN place TEXT") }
    try await database.write { (db) throws in
      #expect(try db.insert(Wide(title: "e", place: "x")).id == 2)
      #expect(try db.fetchAll(Wide.self).map(\.place) == [nil, "x"])
    }
  }

  @Test func aChangeByAnotherConnectionIsSeen() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let (one, other) = (try await Database(path: path), try await Database(path: path))
      try await one.write { db in
        try db.execute(sql: "CREATE TABLE photo (id INTEGER PRIMARY KEY, title TEXT NOT NULL, rating REAL)")
        try db.insert(Photo(title: "a"))
      }
      #expect(try await other.write { try $0.insert(Photo(title: "b")) }.id == 2)
      try await one.write { db in
        try db.execute(sql: "ALTER TABLE photo RENAME COLUMN rating TO stars")
      }
      let error = await databaseError { try await other.write { try $0.insert(Photo(title: "c")) } }
      #expect(error?.message.contains("rating") == true)
      await one.close()
      await other.close()
    }
  }

  // MARK: Observation

  @Test func aRecordIsObservedByItsKey() async throws {
    try await withFile { database in
      try await database.write {
        try $0.execute(sql: "CREATE TABLE photo (id INTEGER PRIMARY KEY, title TEXT, rating REAL)")
      }
      let titles = RecordingSubscriber<String?, DatabaseError>()
      database.observe { try $0.fetch(Photo.self, key: 1)?.title }.removeDuplicates().publisher.subscribe(titles)
      await until { titles.values == [nil] }
      let photo = try await database.write { try $0.insert(Photo(title: "a")) }
      await until { titles.values == [nil, "a"] }
      try await database.write { try $0.update(Photo(id: photo.id, title: "b")) }
      await until { titles.values == [nil, "a", "b"] }
      try await database.write { try $0.delete(photo) }
      await until { titles.values == [nil, "a", "b", nil] }
      titles.cancel()
    }
  }
}
