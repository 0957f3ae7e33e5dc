import Foundation
import InterflowSQLite
import Testing

@Suite struct DatabaseArgumentsTests {
  /// Texts that would be dangerous if they were part of the SQL, or that are easily cut off or changed.
  static let hostile = [
    "'; DROP TABLE picture; --", "\"", "''", "\\", "%", "_", "?", ":id", "$1", "\0", "a\0b", "\u{FEFF}x", "NULL",
    "1 OR 1=1", "x'00'", "/*", "--", ";", "\r\n", "e\u{301}", "\u{1F468}\u{200D}\u{1F469}", "", " ", "\u{FFFF}",
    String(repeating: "'", count: 100_000),
  ]

  @Test(arguments: hostile.indices) func hostileTextIsStoredAsItIs(index: Int) async throws {
    let text = Self.hostile[index]
    let database = try await memory()
    try await database.write { db in
      try db.execute(sql: "INSERT INTO picture (id, title) VALUES (?, ?)", arguments: [1, text])
      try db.execute(sql: "INSERT INTO picture (id, title) VALUES (:id, :title)", arguments: ["id": 2, "title": text])
      try db.insert(Picture(3, text))
    }
    try await database.read { db in
      let titles = try db.fetchAll(String.self, sql: "SELECT title FROM picture ORDER BY id")
      #expect(titles.map { Array($0.utf8) } == Array(repeating: Array(text.utf8), count: 3))
      let found = try db.fetchAll(Int.self, sql: "SELECT id FROM picture WHERE title = ?", arguments: [text])
      #expect(found == [1, 2, 3])
    }
  }

  @Test func valuesKeepTheirTypes() async throws {
    let values: [DatabaseValue] = [
      .null, .integer(.min), .integer(.max), .real(-0.5), .real(.infinity), .real(.leastNonzeroMagnitude), .text(""),
      .text("1"), .blob([]), .blob([0, 255]),
    ]
    let database = Database.inMemory()
    for value in values {
      let stored = try await database.read { db in
        let rows = try db.fetchCursor(sql: "SELECT ?", arguments: [value])
        return try rows.next()?.value(0)
      }
      #expect(stored == value)
    }
  }

  @Test func nilIsNull() async throws {
    let database = Database.inMemory()
    let title: String? = nil
    try await database.read { db in
      let result1 = try db.fetchOne(Bool.self, sql: "SELECT ? IS NULL", arguments: [title])
      #expect(result1 == true)
      let result2 = try db.fetchOne(Bool.self, sql: "SELECT ? IS NULL", arguments: [nil])
      #expect(result2 == true)
      let result3 = try db.fetchOne(Bool.self, sql: "SELECT :a IS NULL", arguments: ["a": nil])
      #expect(result3 == true)
    }
  }

  /// SQLite would store `NULL`, which such a property cannot be made of.
  @Test func aPropertyThatIsNoNumberIsRefused() async throws {
    struct Measure: Encodable {
      var double = 0.5
      var float: Float = 0.5
      var optional: Double?
      var optionalFloat: Float?
    }
    _ = try DatabaseArguments(encoding: Measure(double: .infinity, optional: -.infinity))
    let measures = [
      "double": Measure(double: .nan), "float": Measure(float: .nan), "optional": Measure(optional: .nan),
      "optionalFloat": Measure(optionalFloat: .signalingNaN),
    ]
    for (name, measure) in measures {
      let error = await databaseError { try DatabaseArguments(encoding: measure) }
      #expect(error?.kind == .misuse)
      #expect(error?.message.contains("the property \(name),") == true, "\(String(describing: error))")
    }
    let database = try await memory()
    let isNull = try await database.read {
      try $0.fetchOne(Bool.self, sql: "SELECT ? IS NULL", arguments: [Double.nan])
    }
    #expect(isNull == true)
  }

  @Test func theNumberOfArgumentsIsThatOfTheParameters() async throws {
    let database = Database.inMemory()
    for arguments: DatabaseArguments in [[], [1], [1, 2, 3]] {
      let error = await databaseError {
        try await database.read { try $0.fetchOne(Int.self, sql: "SELECT ? + ?", arguments: arguments) }
      }
      #expect(error?.kind == .misuse)
    }
    let missing = await databaseError {
      try await database.read { try $0.fetchOne(Int.self, sql: "SELECT :a + :b", arguments: ["a": 1]) }
    }
    #expect(missing?.message == "no argument for the parameter b")
    let nameless = await databaseError {
      try await database.read { try $0.fetchOne(Int.self, sql: "SELECT ? + 1", arguments: ["a": 1]) }
    }
    #expect(nameless?.kind == .misuse)
  }

  @Test func allKindsOfParametersHaveNames() async throws {
    let database = Database.inMemory()
    let sum = try await database.read { db in
      try db.fetchOne(Int.self, sql: "SELECT :a + @b + $c", arguments: ["a": 1, "b": 20, "c": 300, "unused": 1])
    }
    #expect(sum == 321)
  }

  @Test func nothingIsLeftOfAnEarlierBinding() async throws {
    let database = Database.inMemory()
    try await database.read { db in
      let result4 = try db.fetchOne(Int.self, sql: "SELECT :a", arguments: ["a": 1])
      #expect(result4 == 1)
      #expect(throws: DatabaseError.self) {
        try db.fetchOne(Int.self, sql: "SELECT :a", arguments: ["b": 1])
      }
      let result5 = try db.fetchOne(Int?.self, sql: "SELECT :a", arguments: ["a": nil])
      #expect(result5 == .some(nil))
    }
  }

  // MARK: Encoding

  private struct Everything: Codable, Equatable {
    enum Kind: String, Codable { case star, galaxy }
    enum Size: Int, Codable { case small = 1, large }

    var bool = true
    var int = -1
    var int8: Int8? = 8
    var uint64: UInt64 = 64
    var double = 1.5
    var float: Float? = 2.5
    var text = "a"
    var none: String?
    var kind = Kind.galaxy
    var size: Size? = .large
    var date = Date(timeIntervalSince1970: 1_000.5)
    var data = Data([1, 2])
    var url = URL(string: "https://example.com/a?b")
    var uuid = UUID()
    var bytes: [UInt8] = [3]
  }

  @Test func aRowIsEncodedAndDecoded() async throws {
    let database = Database.inMemory()
    let value = Everything()
    let columns = [
      "bool", "int", "int8", "uint64", "double", "float", "text", "none", "kind", "size", "date", "data", "url", "uuid",
      "bytes",
    ]
    let sql = "SELECT " + columns.map { ":\($0) AS \($0)" }.joined(separator: ", ")
    let arguments = try DatabaseArguments(encoding: value)
    #expect(
      try await database.read { try $0.fetchOne(Everything.self, sql: SQL(verbatim: sql), arguments: arguments) }
        == value)
    // In another order of the columns too.
    let reversed = "SELECT " + columns.reversed().map { ":\($0) AS \($0)" }.joined(separator: ", ")
    #expect(
      try await database.read { try $0.fetchOne(Everything.self, sql: SQL(verbatim: reversed), arguments: arguments) }
        == value)
    let kinds = try await database.read { db in
      try db.fetchOne(String.self, sql: "SELECT typeof(:date) || typeof(:data) || typeof(:url)", arguments: arguments)
    }
    #expect(kinds == "realblobtext")
  }
}
