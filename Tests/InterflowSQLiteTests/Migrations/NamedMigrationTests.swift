import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// Which steps run in which files, old ones and new ones.
@Suite struct NamedMigrationTests {
  /// A step that adds a table, and so fails if it runs twice.
  private static func step(_ name: String) -> Migration {
    Migration(name) { try $0.execute(sql: "CREATE TABLE \(SQLIdentifier(name)) (x)") }
  }

  private static func step(_ version: Int32) -> Migration {
    Migration(version) { try $0.execute(sql: "CREATE TABLE \(SQLIdentifier("\(version)")) (x)") }
  }

  /// The tables that steps have made, in this order.
  private static func made(_ database: Database) async throws -> [String] {
    try await database.read {
      try $0.fetchAll(
        String.self,
        sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'interflow_migration' ORDER BY rowid")
    }
  }

  private static func version(_ database: Database) async throws -> Int? {
    try await database.read { try $0.fetchOne(Int.self, sql: "PRAGMA user_version") }
  }

  @Test func stepsRunOnceEachInOrder() async throws {
    let database = Database.inMemory()
    try await database.migrate([Self.step("b"), Self.step("a")])
    #expect(try await Self.made(database) == ["b", "a"])
    try await database.migrate([Self.step("b"), Self.step("a"), Self.step("c")])
    try await database.migrate([Self.step("b"), Self.step("a"), Self.step("c")])
    #expect(try await Self.made(database) == ["b", "a", "c"])
  }

  @Test func aStepThatIsMergedBetweenOthersRuns() async throws {
    let database = Database.inMemory()
    try await database.migrate([Self.step("a"), Self.step("c")])
    try await database.migrate([Self.step("a"), Self.step("b"), Self.step("c")])
    #expect(try await Self.made(database) == ["a", "c", "b"])
  }

  @Test func aFileKnowsItsStepsAfterReopening() async throws {
    try await withFolder { folder in
      for count in 1...3 {
        let database = try await Database(path: folder + "/a.sqlite")
        try await database.migrate(["a", "b", "c"].prefix(count).map(Self.step))
        #expect(try await Self.made(database) == Array(["a", "b", "c"].prefix(count)))
        await database.close()
      }
    }
  }

  @Test func aProgramThatLacksAStepIsRefused() async throws {
    let database = Database.inMemory()
    try await database.migrate([Self.step("a"), Self.step("b")])
    let error = await databaseError { try await database.migrate([Self.step("a"), Self.step("c")]) }
    #expect(error?.kind == .newerSchema)
    #expect(error?.message == "the migration \"b\" has run in the database, which is not known")
    #expect(try await Self.made(database) == ["a", "b"])
  }

  // MARK: Versions

  @Test func aVersionThatWasSkippedIsAnError() async throws {
    let database = Database.inMemory()
    try await database.migrate([Self.step(1), Self.step(3)])
    let error = await databaseError { try await database.migrate([Self.step(1), Self.step(2), Self.step(3)]) }
    #expect(error?.kind == .misuse)
    #expect(error?.message.contains("to version 2 has not run") == true)
    #expect(try await Self.made(database) == ["1", "3"])
    try await database.migrate([Self.step(1), Self.step(3), Self.step(4)])
    #expect(try await Self.made(database) == ["1", "3", "4"])
  }

  @Test func aFileWithoutARecordHasAllVersionsUpToItsOwn() async throws {
    let database = Database.inMemory()
    try await database.write { try $0.execute(sql: "PRAGMA user_version = 3") }
    try await database.migrate([Self.step(1), Self.step(3)])
    #expect(try await Self.made(database) == [])
    try await database.migrate([Self.step(1), Self.step(2), Self.step(3), Self.step(4), Self.step("a")])
    #expect(try await Self.made(database) == ["4", "a"])
    // Also when there is a record.
    try await database.migrate([Self.step(1), Self.step(2), Self.step(3), Self.step(4), Self.step("a"), Self.step("b")])
    #expect(try await Self.made(database) == ["4", "a", "b"])
  }

  @Test func stepsWithVersionsRunBeforeThoseWithNames() async throws {
    let database = Database.inMemory()
    try await database.migrate([Self.step("a"), Self.step(2), Self.step("b"), Self.step(1)])
    #expect(try await Self.made(database) == ["1", "2", "a", "b"])
  }

  @Test func aVersionAfterNamesIsAnError() async throws {
    let database = Database.inMemory()
    try await database.migrate([Self.step(1), Self.step("a")])
    let error = await databaseError { try await database.migrate([Self.step(1), Self.step(2), Self.step("a")]) }
    #expect(error?.kind == .misuse)
    #expect(try await Self.made(database) == ["1", "a"])
  }

  @Test func aProgramThatKnowsVersionsAloneRefusesNames() async throws {
    let database = Database.inMemory()
    try await database.migrate([Self.step(1), Self.step(2)])
    #expect(try await Self.version(database) == 2)
    try await database.migrate([Self.step(1), Self.step(2), Self.step("a")])
    #expect(try await Self.version(database) == 3, "greater than what such a program knows, whatever it looks at")
    #expect(await databaseError { try await database.migrate([Self.step(1), Self.step(2)]) }?.kind == .newerSchema)
    try await database.migrate([Self.step(1), Self.step(2), Self.step("a"), Self.step("b")])
    #expect(try await Self.version(database) == 4)
  }

  @Test func stepsOfAnOlderProgramInBetweenCount() async throws {
    let database = Database.inMemory()
    try await database.migrate([Self.step(1)])
    // It sets the version alone.
    try await database.write { try $0.execute(sql: "CREATE TABLE \"2\" (x); PRAGMA user_version = 2") }
    try await database.migrate([Self.step(1), Self.step(2), Self.step(3)])
    #expect(try await Self.made(database) == ["1", "2", "3"])
    try await database.migrate([Self.step(1), Self.step(2), Self.step(3)])
  }

  @Test func aVersionThatNoRecordExplainsIsNewer() async throws {
    let database = Database.inMemory()
    try await database.migrate([Self.step("a")])
    try await database.write { try $0.execute(sql: "PRAGMA user_version = 9") }
    #expect(await databaseError { try await database.migrate([Self.step("a")]) }?.kind == .newerSchema)
  }

  @Test func aStepWithANameThatFailsIsNotRecorded() async throws {
    let database = Database.inMemory()
    let failing = Migration("b") { db in
      try db.execute(sql: "CREATE TABLE b (x)")
      throw TestError()
    }
    await #expect(throws: TestError.self) { try await database.migrate([Self.step("a"), failing]) }
    #expect(try await Self.made(database) == ["a"])
    #expect(try await Self.version(database) == 1)
    try await database.migrate([Self.step("a"), Self.step("b")])
    #expect(try await Self.made(database) == ["a", "b"])
  }

  @Test func twoStepsWithOneNameAreAProgrammingError() async {
    await #expect(processExitsWith: .failure) {
      try await Database.inMemory().migrate([Migration("a") { _ in }, Migration("a") { _ in }])
    }
    await #expect(processExitsWith: .failure) { _ = Migration("") { _ in } }
  }

  // MARK: Erasing

  private static func pictures(_ columns: String) -> [Migration] {
    [Migration("pictures") { try $0.execute(sql: SQL(verbatim: "CREATE TABLE picture (\(columns))")) }, Self.step("b")]
  }

  private static let changed: [[Migration]] = [
    pictures("id INTEGER PRIMARY KEY, title TEXT"), [step("b")], [step("a"), step("b")],
  ]

  @Test(arguments: changed.indices) func changedStepsErase(index: Int) async throws {
    try await withFolder { folder in
      let database = try await Database(path: folder + "/a.sqlite")
      try await database.migrate(Self.pictures("id INTEGER PRIMARY KEY"), erasesOnChange: true)
      try await database.write { try $0.execute(sql: "INSERT INTO picture VALUES (1)") }
      // A reader has statements of the old schema.
      let before = try await database.read { try $0.fetchAll(Int.self, sql: "SELECT id FROM picture") }
      #expect(before == [1])
      try await database.migrate(Self.pictures("id INTEGER PRIMARY KEY"), erasesOnChange: true)
      let unchanged = try await database.read { try $0.fetchAll(Int.self, sql: "SELECT id FROM picture") }
      #expect(unchanged == [1], "nothing has changed")
      try await database.migrate(Self.changed[index], erasesOnChange: true)
      let made = try await Self.made(database)
      #expect(made == Self.changed[index].map { $0.name == "pictures" ? "picture" : $0.name })
      if made.contains("picture") {
        let after = try await database.read { try $0.fetchAll(Int.self, sql: "SELECT id FROM picture") }
        #expect(after == [])
      }
      #expect(try await Self.version(database) == Self.changed[index].count)
      await database.close()
    }
  }

  @Test func anErasedFileKeepsItsLog() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let database = try await Database(path: path)
      try await database.migrate(Self.pictures("id INTEGER PRIMARY KEY"), erasesOnChange: true)
      try await database.migrate(Self.pictures("id INTEGER PRIMARY KEY, title TEXT"), erasesOnChange: true)
      await database.close()
      // The versions of the format in the header: 2 is that of a file with a write-ahead log.
      let header = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(20).suffix(2)
      #expect(Array(header) == [2, 2])
    }
  }

  @Test func onlyTheOptionErases() async throws {
    let database = Database.inMemory()
    try await database.migrate(Self.pictures("id INTEGER PRIMARY KEY"))
    try await database.write { try $0.execute(sql: "INSERT INTO picture VALUES (1)") }
    try await database.migrate(Self.pictures("id INTEGER PRIMARY KEY, title TEXT"))
    let after = try await database.read { try $0.fetchAll(Int.self, sql: "SELECT id FROM picture") }
    #expect(after == [1])
  }

  @Test func aNewStepDoesNotErase() async throws {
    let database = Database.inMemory()
    try await database.migrate(Self.pictures("id INTEGER PRIMARY KEY"), erasesOnChange: true)
    try await database.write { try $0.execute(sql: "INSERT INTO picture VALUES (1)") }
    try await database.migrate(Self.pictures("id INTEGER PRIMARY KEY") + [Self.step("c")], erasesOnChange: true)
    let after = try await database.read { try $0.fetchAll(Int.self, sql: "SELECT id FROM picture") }
    #expect(after == [1])
    #expect(try await Self.made(database) == ["picture", "b", "c"])
  }

  @Test func aFileThatIsOpenedToBeReadIsNotErased() async throws {
    try await withFolder { folder in
      let database = try await Database(path: folder + "/a.sqlite")
      try await database.migrate(Self.pictures("id INTEGER PRIMARY KEY"))
      await database.close()
      var options = DatabaseOptions()
      options.isReadOnly = true
      let readOnly = try await Database(path: folder + "/a.sqlite", options: options)
      _ = await databaseError { try await readOnly.migrate([Self.step("other")], erasesOnChange: true) }
      #expect(try await Self.made(readOnly) == ["picture", "b"])
      await readOnly.close()
    }
  }

  /// However many changes the schema has had before, since connections recognise it by their number.
  @Test(arguments: 0..<4) func otherConnectionsLearnOfTheNewSchema(otherCount: Int) async throws {
    try await withFolder { folder in
      let database = try await Database(path: folder + "/a.sqlite")
      let other = try await Database(path: folder + "/a.sqlite")
      func insertAndRead(_ title: String) async throws {
        for database in [database, other] {
          try await database.write { try $0.execute(sql: "INSERT INTO picture (title) VALUES (?)", arguments: [title]) }
        }
        for database in [database, other] {
          let titles = try await database.read { try $0.fetchAll(String?.self, sql: "SELECT title FROM picture") }
          #expect(titles == [title, title])
        }
      }
      let steps = Array(Self.pictures("id INTEGER PRIMARY KEY, title TEXT").prefix(1))
      try await database.migrate(steps + (0..<otherCount).map { Self.step("other \($0)") })
      try await insertAndRead("before")
      let changed = Self.pictures("id INTEGER PRIMARY KEY, note TEXT, title TEXT").prefix(1)
      try await database.migrate(Array(changed), erasesOnChange: true)
      try await insertAndRead("after")
      await other.close()
      await database.close()
    }
  }
}
