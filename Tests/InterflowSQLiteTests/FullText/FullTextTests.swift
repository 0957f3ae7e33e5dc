import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

/// Full-text tables and patterns.
@Suite struct FullTextTests {
  private static func database(_ table: String = "picture", column: String = "title") async throws -> Database {
    let database = Database.inMemory()
    let (content, text) = (SQLIdentifier(table), SQLIdentifier(column))
    try await database.write { db in
      try db.execute(sql: "CREATE TABLE \(content) (id INTEGER PRIMARY KEY, \(text) TEXT, note TEXT)")
      try db.execute(sql: "INSERT INTO \(content) VALUES (1, \("Crab Nebula"), \("bright"))")
      try db.createFullTextTable("\(table) text", synchronizedWith: table, columns: [column, "note"])
    }
    return database
  }

  private static func found(
    _ db: DatabaseConnection, _ text: String, _ matching: FullTextPattern.Matching = .allWords,
    in table: String = "picture"
  ) throws -> [Int] {
    guard let pattern = FullTextPattern(text, matching: matching) else { return [] }
    let index = SQLIdentifier("\(table) text")
    return try db.fetchAll(Int.self, sql: "SELECT rowid FROM \(index) WHERE \(index) MATCH \(pattern) ORDER BY rowid")
  }

  @Test(arguments: ["picture", "o'clock \"table\""]) func theIndexFollowsTheTable(_ table: String) async throws {
    let database = try await Self.database(table, column: "title's \"name\"")
    let (content, text) = (SQLIdentifier(table), SQLIdentifier("title's \"name\""))
    try await database.write { db in
      func found(_ text: String) throws -> [Int] { try Self.found(db, text, in: table) }
      #expect(try found("nebula") == [1])
      try db.execute(sql: "INSERT INTO \(content) VALUES (2, \("Ring Nebula"), NULL)")
      #expect(try found("nebula") == [1, 2])
      try db.execute(sql: "UPDATE \(content) SET \(text) = \("Saturn") WHERE id = 1")
      #expect(try found("nebula") == [2])
      #expect(try found("saturn bright") == [1])
      try db.execute(sql: "UPDATE \(content) SET id = 9 WHERE id = 1")
      #expect(try found("saturn") == [9])
      try db.execute(sql: "DELETE FROM \(content)")
      #expect(try found("saturn") == [])
      #expect(try found("nebula") == [])
      let index = SQLIdentifier("\(table) text")
      try db.execute(sql: "INSERT INTO \(index) (\(index), rank) VALUES ('integrity-check', 1)")
    }
  }

  @Test func recordsAreFoundAndObserved() async throws {
    struct Photo: DatabaseRecord {
      static let databaseTableName = "picture"
      var id: Int64?
      var title: String
    }
    let database = try await Self.database()
    let recorder = RecordingSubscriber<[Int], DatabaseError>()
    database.observe { try Self.found($0, "moon") }.removeDuplicates().publisher.subscribe(recorder)
    await until { recorder.values == [[]] }
    try await database.write { try $0.insert(Photo(title: "The Moon")) }
    await until { recorder.values == [[], [2]] }
    try await database.write { _ = try $0.upsert(Photo(id: 2, title: "Mars")) }
    await until { recorder.values == [[], [2], []] }
    recorder.cancel()
  }

  @Test func aTableWithoutSuchAKeyIsRefused() async throws {
    let database = Database.inMemory()
    for columns in ["a TEXT", "a TEXT PRIMARY KEY", "a INTEGER, b INTEGER, PRIMARY KEY (a, b)"] {
      let error = await databaseError {
        try await database.write { db in
          try db.execute(sql: SQL(verbatim: "CREATE TABLE t (\(columns))"))
          try db.createFullTextTable("t_text", synchronizedWith: "t", columns: ["a"])
        }
      }
      #expect(error?.kind == .misuse)
    }
  }

  @Test func whatFailsLeavesNothing() async throws {
    let database = try await Self.database()
    try await database.write { db in
      #expect(throws: DatabaseError.self) {
        try db.createFullTextTable("other", synchronizedWith: "picture", columns: ["nothing"])
      }
      try db.execute(sql: "INSERT INTO picture VALUES (5, 'a', NULL)")
      #expect(try db.fetchOne(Int.self, sql: "SELECT count(*) FROM sqlite_master WHERE name LIKE 'other%'") == 0)
    }
  }

  @Test func theTokenizerCanBeChosen() async throws {
    let database = try await Self.database()
    try await database.write { db in
      try db.createFullTextTable(
        "stems", synchronizedWith: "picture", columns: ["title"], tokenizer: "porter unicode61 tokenchars '-'")
      try db.execute(sql: "INSERT INTO picture VALUES (3, 'Galaxies', NULL)")
      let pattern = FullTextPattern("galaxy")
      #expect(try db.fetchAll(Int.self, sql: "SELECT rowid FROM stems WHERE stems MATCH \(pattern)") == [3])
    }
  }

  // MARK: Patterns

  @Test(arguments: [
    "nebula", "NEBULA crab", "\"nebula", "nebula\"\"", "nebula*", "nebula)", "(nebula", "title: nebula", "^nebula",
    "nebula -- crab", "nebula ' crab", "+nebula", "{nebula}", "nebula \0 crab", "\"\" nebula !!!", "crab-nebula",
    "nebula 🌌", "nebula\ncrab", "nebula:*",
  ])
  func whateverIsTypedIsFound(_ text: String) async throws {
    let database = try await Self.database()
    // What would be an operator or the name of a column is a word like any other.
    let words = text.replacing("title:", with: "crab")
    try await database.read { db in
      for matching in [FullTextPattern.Matching.allWords, .anyWord, .allPrefixes] {
        #expect(try Self.found(db, words, matching) == [1])
      }
      _ = try Self.found(db, text, .phrase)
    }
  }

  /// A quote and a mark behind it are one `Character`, but not for SQLite.
  @Test(arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"]) func aMarkEndsNoQuotes(_ mark: String) async throws {
    let database = try await Self.database()
    let pattern = try #require(FullTextPattern("nebula\"\(mark)*note:x\"\(mark)"))
    #expect(Array(pattern.text.utf8) == Array("\"nebula\"\"\(mark)*note:x\"\"\(mark)\"".utf8))
    let table = SQLIdentifier("picture text")
    let found = try await database.read {
      try $0.fetchAll(Int.self, sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH \(pattern)")
    }
    #expect(found == [])
  }

  @Test(arguments: ["AND", "nebula AND saturn", "NOT nebula", "nebula NEAR crab", "title : nebula saturn"])
  func operatorsAreWords(_ text: String) async throws {
    let database = try await Self.database()
    #expect(try await database.read { try Self.found($0, text) } == [])
  }

  @Test func howWordsMatch() async throws {
    let database = try await Self.database()
    try await database.read { (db) throws in
      #expect(try Self.found(db, "neb cra", .allPrefixes) == [1])
      #expect(try Self.found(db, "neb", .allWords) == [])
      #expect(try Self.found(db, "saturn crab", .anyWord) == [1])
      #expect(try Self.found(db, "saturn crab", .allWords) == [])
      #expect(try Self.found(db, "crab nebula", .phrase) == [1])
      #expect(try Self.found(db, "nebula crab", .phrase) == [])
    }
  }

  @Test(arguments: ["", "  \n", "\"", "*", "!!! ()", "\0", "🌌"]) func thereMayBeNothingToLookFor(_ text: String) {
    #expect(FullTextPattern(text) == nil)
  }
}
