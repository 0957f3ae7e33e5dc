import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// An observation of a record that is fetched by its key hears of that row, and of others only where it cannot be known
/// that they differ.
@Suite struct ObservedRowTests {
  private struct Item: DatabaseRecord, Equatable {
    static let databaseTableName = "Item"
    var id: Int64?
    var name: String
    var parent: Int64?
  }

  private static let plain: SQL = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, parent INTEGER);
    INSERT INTO item VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'c', 2);
    """

  private func database(_ schema: SQL) async throws -> Database {
    let database = Database.inMemory()
    try await database.write { try $0.execute(sql: schema) }
    return database
  }

  private func read(_ key: Int64, on database: Database) async throws -> (item: Item?, region: Region) {
    let (item, region) = try await database.readers.run { connection in
      try connection.read(isObserved: true) { try $0.fetch(Item.self, key: key) }
    }
    return (item, region)
  }

  private func written(
    on database: Database, _ body: @escaping @Sendable (DatabaseConnection) throws -> Void
  ) async throws -> Region {
    try await database.writer.run { try $0.write(nil, body).region }
  }

  @Test(arguments: [
    "update", "insert with a key", "insert without a key", "delete", "delete by key", "save", "upsert", "savepoint",
  ])
  func aChangeOfAnotherRowIsNotHeard(change: String) async throws {
    let database = try await database(Self.plain)
    let (first, second) = (try await read(1, on: database), try await read(2, on: database))
    let written = try await written(on: database) { db in
      switch change {
      case "update": try db.update(Item(id: 2, name: "x"))
      case "insert with a key": try db.insert(Item(id: 4, name: "x"))
      case "insert without a key": #expect(try db.insert(Item(name: "x")).id == 4)
      case "delete": try db.delete(Item(id: 2, name: ""))
      case "delete by key": try db.delete(Item.self, key: 2)
      case "save": try db.save(Item(id: 2, name: "x"))
      case "upsert": try db.upsert(Item(id: 2, name: "x"))
      default:
        try db.savepoint { try db.update(Item(id: 2, name: "x")) }
        try? db.savepoint {
          try db.update(Item(id: 1, name: "x"))
          throw DatabaseError.misuse("undone")
        }
      }
    }
    #expect(!first.region.isAffected(by: written))
    #expect(second.region.isAffected(by: written) == !change.hasPrefix("insert"))
    await database.close()
  }

  @Test func aRowThatComesIsHeard() async throws {
    let database = try await database(Self.plain)
    let region = try await read(4, on: database).region
    #expect(region.isAffected(by: try await written(on: database) { try $0.insert(Item(name: "x")) }))
    let later = try await read(9, on: database).region
    #expect(later.isAffected(by: try await written(on: database) { try $0.insert(Item(id: 9, name: "x")) }))
    await database.close()
  }

  @Test(arguments: [
    "UPDATE item SET name = 'x' WHERE id = 2", "DELETE FROM item", "INSERT INTO item VALUES (9, 'x', NULL)",
    "UPDATE item SET id = 1 - id",
  ])
  func sqlIsHeardByEveryRow(sql: String) async throws {
    let database = try await database(Self.plain)
    let region = try await read(1, on: database).region
    #expect(region.isAffected(by: try await written(on: database) { try $0.execute(sql: SQL(verbatim: sql)) }))
    await database.close()
  }

  @Test func whatElseReadsTheTableHearsOfEveryRow() async throws {
    let database = try await database(Self.plain)
    let names = try await database.readers.run { connection in
      try connection.read(isObserved: true) { db in
        _ = try db.fetch(Item.self, key: 1)
        _ = try db.fetchAll(String.self, sql: "SELECT name FROM item")
      }.region
    }
    #expect(names.isAffected(by: try await written(on: database) { try $0.update(Item(id: 2, name: "x")) }))
    let several = try await database.readers.run { connection in
      try connection.read(isObserved: true) { try $0.fetch(Item.self, keys: [1, 3]) }.region
    }
    #expect(!several.isAffected(by: try await written(on: database) { try $0.update(Item(id: 2, name: "y")) }))
    #expect(several.isAffected(by: try await written(on: database) { try $0.update(Item(id: 3, name: "y")) }))
    await database.close()
  }

  /// Schemas in which a change of one row can change others.
  private static let entangled: [SQL] = [
    "CREATE TRIGGER t AFTER UPDATE ON item BEGIN UPDATE item SET name = new.name WHERE id = 1; END",
    "CREATE TEMP TRIGGER t AFTER UPDATE ON item BEGIN UPDATE item SET name = new.name WHERE id = 1; END",
    """
    DROP TABLE item;
    CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT REPLACE, parent INTEGER);
    INSERT INTO item VALUES (1, 'x', NULL), (2, 'b', 1)
    """,
  ]

  @Test(arguments: entangled)
  func aRowThatAnotherOneChangesIsHeard(schema: SQL) async throws {
    let database = try await database(Self.plain)
    // A trigger that is temporary exists for its connection.
    let written = try await written(on: database) { db in
      try db.execute(sql: schema)
    }
    #expect(!written.isEmpty)
    let before = try await read(1, on: database)
    let change = try await self.written(on: database) { try $0.update(Item(id: 2, name: "x")) }
    let after = try await read(1, on: database)
    #expect(before.item != after.item)
    #expect(before.region.isAffected(by: change))
    await database.close()
  }

  /// Decoding it inserts a row elsewhere.
  private struct Busy: DatabaseRecord {
    static let databaseTableName = "item"
    @TaskLocal static var connection: UncheckedConnection?
    var id: Int64?
    var name: String

    init(name: String) { self.name = name }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      id = try values.decode(Int64?.self, forKey: .id)
      name = try values.decode(String.self, forKey: .name)
      try Self.connection?.value.execute(sql: "INSERT INTO log DEFAULT VALUES")
    }
  }

  private struct UncheckedConnection: @unchecked Sendable {  // Used on the thread of the access only.
    let value: DatabaseConnection
  }

  @Test func aRowIsHeardThoughItsDecodingInsertsAnother() async throws {
    let database = try await database("\(Self.plain); CREATE TABLE log (id INTEGER PRIMARY KEY);")
    let region = try await read(4, on: database).region
    let change = try await written(on: database) { db in
      try Busy.$connection.withValue(UncheckedConnection(value: db)) { _ = try db.insert(Busy(name: "x")) }
    }
    #expect(try await read(4, on: database).item?.name == "x")
    #expect(region.isAffected(by: change))
    await database.close()
  }

  @Test func manyRowsCountAsAll() async throws {
    let database = try await database(Self.plain)
    let region = try await database.readers.run { connection in
      try connection.read(isObserved: true) { try $0.fetch(Item.self, keys: (1...5_000).map { Int64($0) }) }.region
    }
    #expect(region.isAffected(by: try await written(on: database) { try $0.insert(Item(id: 9_999, name: "x")) }))
    await database.close()
  }

  @Test func aRowThatAForeignKeyDeletesIsHeard() async throws {
    let database = try await database(
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, parent INTEGER REFERENCES ITEM ON DELETE CASCADE);
      INSERT INTO item VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'c', 2);
      """)
    let region = try await read(3, on: database).region
    #expect(region.isAffected(by: try await written(on: database) { try $0.delete(Item.self, key: 1) }))
    #expect(try await read(3, on: database).item == nil)
    await database.close()
  }

  @Test func aKeyThatIsNoRowNumberIsNoRow() async throws {
    let database = try await database(
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY DESC DEFAULT 7, name TEXT, parent INTEGER);
      INSERT INTO item VALUES (1, 'a', NULL);
      """)
    let region = try await read(7, on: database).region
    #expect(region.isAffected(by: try await written(on: database) { try $0.insert(Item(name: "x")) }))
    await database.close()
  }

  @Test func noChangeOfARowIsMissedAtRandom() async throws {
    let schemas: [SQL] =
      [
        Self.plain,
        """
        CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, parent INTEGER
          REFERENCES item ON DELETE SET NULL);
        """,
        """
        CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, parent INTEGER, twice TEXT AS (name || name));
        CREATE TABLE part (id INTEGER PRIMARY KEY, item INTEGER REFERENCES item ON DELETE CASCADE);
        CREATE TRIGGER gone AFTER DELETE ON part BEGIN DELETE FROM item WHERE id = old.id; END;
        """,
      ] + Self.entangled.map { "\(Self.plain); \($0);" }
    var (changes, quiet) = (0, 0)
    for seed in 0..<UInt64(max(10, stressRuns / 20)) {
      var random = Random(seed)
      let database = try await database(schemas[Int(seed) % schemas.count])
      for _ in 0..<12 {
        var before: [(item: Item?, region: Region)] = []
        for key in 1...6 as ClosedRange<Int64> { before.append(try await read(key, on: database)) }
        let steps = (0..<Int.random(in: 1...3, using: &random)).map { _ in
          (
            Int.random(in: 0..<7, using: &random), Int64.random(in: 1...6, using: &random),
            ["x", "y", "z", "w"].randomElement(using: &random)!, Bool.random(using: &random)
          )
        }
        guard
          let region = try? await written(
            on: database,
            { db in
              for (operation, key, name, isUndone) in steps {
                let item = Item(id: operation == 0 ? nil : key, name: name, parent: isUndone ? nil : key - 1)
                try? db.savepoint {
                  switch operation {
                  case 0, 1: try db.insert(item)
                  case 2: try db.update(item)
                  case 3: try db.upsert(item)
                  case 4: try db.save(item)
                  case 5: try db.delete(item)
                  default: try db.execute(sql: "UPDATE item SET name = \(name) WHERE id = \(key)")
                  }
                  if isUndone, key > 3 { throw DatabaseError.misuse("undone") }
                }
              }
            })
        else { continue }
        for key in 1...6 as ClosedRange<Int64> {
          let old = before[Int(key) - 1]
          let isHeard = old.region.isAffected(by: region)
          if try await read(key, on: database).item != old.item {
            changes += 1
            #expect(isHeard, "seed \(seed), row \(key)")
          } else if !isHeard {
            quiet += 1
          }
        }
      }
      await database.close()
    }
    // Otherwise it would have shown nothing.
    #expect(changes > 100 && quiet > 100)
  }
}
