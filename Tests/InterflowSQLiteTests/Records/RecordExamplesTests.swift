import InterflowSQLite
import InterflowTestSupport
import Testing

/// The examples of the documentation of records, as written there.
// swift-format-ignore
@Suite struct RecordExamplesTests {
  @Test func records() async throws {
    let database = Database.inMemory()
    try await database.write { db in
      try db.execute(sql: "CREATE TABLE photo (id INTEGER PRIMARY KEY, title TEXT NOT NULL, rating REAL)")
    }
    struct Photo: DatabaseRecord {
      static let databaseTableName = "photo"
      var id: Int64?
      var title: String
      var rating: Double?
    }
    let title = try await database.write { db in
      var photo = try db.insert(Photo(title: "Crab Nebula"))  // With the `id` that the database has given it.
      photo.rating = 4.5
      try db.update(photo)
      return try db.fetch(Photo.self, key: photo.id)?.title
    }
    #expect(title == "Crab Nebula")

    try await database.write { db in
      let photo = try db.insert(Photo(title: "Crab Nebula"))
      try db.execute(sql: "UPDATE photo SET rating = \(4.5) WHERE title = \(photo.title)")
    }
    #expect(try await database.read { try $0.fetchAll(Photo.self) }.map(\.rating) == [4.5, 4.5])

    let photo = database.observe { db in
      try db.fetch(Photo.self, key: 7)
    }
    for try await value in photo.values {
      #expect(value == nil)
      break
    }
  }

  struct Picture: DatabaseRecord {
    static let databaseTableName = "picture"
    var id: Int64?
    var file: String
  }

  @Test func afterCommit() async throws {
    let removed = Shared<[String]>([])
    @Sendable func remove(_ file: String) { removed.update { $0.append(file) } }
    let database = Database.inMemory()
    let photo = try await database.write { db in
      try db.execute(sql: "CREATE TABLE picture (id INTEGER PRIMARY KEY, file TEXT)")
      return try db.insert(Picture(file: "a.png"))
    }
    try await database.write { db in
      try db.delete(photo)
      try db.afterCommit { remove(photo.file) }
    }
    #expect(removed.value == ["a.png"])
  }
}
