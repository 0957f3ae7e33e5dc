import Foundation
import Testing

@testable import InterflowSQLite

/// Decimal numbers, UUIDs, and what has several parts.
@Suite struct ColumnFormatTests {
  private func stored(_ arguments: DatabaseArguments, _ formats: DatabaseFormats) async throws -> DatabaseValue? {
    var options = DatabaseOptions()
    options.formats = formats
    return try await Database.inMemory(options: options).read { db in
      try db.fetchCursor(sql: "SELECT ?", arguments: arguments).next()?.value(0)
    }
  }

  // MARK: Decimal

  @Test(arguments: [
    "0", "-0.5", "12.50", "12345678901234567890123456789012345678", "0.00000000000000000000000000000000000001",
    "-99999999999999999999.999999999999999999",
  ])
  func decimalNumbersAreExact(text: String) async throws {
    let number = try #require(Decimal(string: text))
    let read = try await Database.inMemory().write { db in
      try db.execute(sql: "CREATE TABLE t (price TEXT)")
      try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
      return try db.fetchOne(Decimal.self, sql: "SELECT price FROM t")
    }
    #expect(read == number)
  }

  @Test func decimalNumbersAreReadFromNumbersToo() async throws {
    let numbers = try await Database.inMemory().read {
      try $0.fetchAll(Decimal.self, sql: "VALUES (3), (0.1), ('1e3'), ('+7.5'), ('.5')")
    }
    #expect(numbers == [3, Decimal(string: "0.1"), 1_000, Decimal(string: "7.5"), Decimal(string: "0.5")])
    #expect(Decimal(databaseValue: .text("NaN"))?.isNaN == true)
  }

  @Test(arguments: ["", "x", "1x", "1.2.3", "1,5", "--1", "1e", "e5", " 1", "."])
  func otherTextIsNoDecimalNumber(text: String) {
    #expect(Decimal(databaseValue: .text(text)) == nil)
  }

  @Test func aDecimalNumberCanBeAFloatingPointNumber() async throws {
    let value = try await stored([Decimal(string: "12.5")], DatabaseFormats(decimal: .real))
    #expect(value == .real(12.5))
    let error = await databaseError { try await stored([Decimal.nan], DatabaseFormats(decimal: .real)) }
    #expect(error?.kind == .misuse)
  }

  // MARK: UUID

  @Test func identifiersAreTextOrBytes() async throws {
    let uuid = UUID()
    #expect(try await stored([uuid], DatabaseFormats()) == .text(uuid.uuidString))
    let blob = try await stored([uuid], DatabaseFormats(uuid: .blob))
    guard case .blob(let bytes) = blob else {
      throw DatabaseError(kind: .other, message: "\(String(describing: blob))")
    }
    #expect(bytes.count == 16)
    for value in [DatabaseValue.text(uuid.uuidString), .text(uuid.uuidString.lowercased()), .blob(bytes)] {
      #expect(UUID(databaseValue: value) == uuid)
    }
    #expect(UUID(databaseValue: .blob([1, 2])) == nil)
  }

  // MARK: JSON

  private enum Kind: Codable, Equatable {
    case star(magnitude: Double)
    case galaxy
  }

  private struct Camera: Codable, Equatable {
    struct Lens: Codable, Equatable {
      var width: Decimal
      var made: Date
    }

    var name: String
    var lenses: [Lens]
  }

  private struct Shot: Codable, Equatable {
    var id: Int
    var tags: [String] = []
    var ratings: [String: Int] = [:]
    var camera: Camera
    var kinds: [Kind] = [.galaxy, .star(magnitude: -1.5)]
    var kind = Kind.galaxy
    var spare: Camera?
    var none: [Int]?
    var points: [[Double]] = []
    var numbers: Set<Int> = []
    var data = Data([1, 2])
    var bytes: [UInt8] = [3]
  }

  private static let shot = Shot(
    id: 1, tags: ["a'b", "\"", "é\u{1F468}\0", ""], ratings: ["z": 1, "a": 2],
    camera: Camera(
      name: "x", lenses: [.init(width: Decimal(string: "0.1") ?? 0, made: Date(timeIntervalSinceReferenceDate: 0.1))]),
    spare: Camera(name: "", lenses: []), points: [[0.1, -2], []], numbers: [1, 2, 3])

  private static let names = [
    "id", "tags", "ratings", "camera", "kinds", "kind", "spare", "none", "points", "numbers", "data", "bytes",
  ]

  @Test func whatHasSeveralPartsIsJSON() async throws {
    let arguments = try DatabaseArguments(encoding: Self.shot)
    try await Database.inMemory().write { db in
      try db.execute(sql: SQL(verbatim: "CREATE TABLE shot (\(Self.names.joined(separator: ", ")))"))
      try db.execute(
        sql: SQL(verbatim: "INSERT INTO shot VALUES (\(Self.names.map { ":" + $0 }.joined(separator: ", ")))"),
        arguments: arguments)
      let shots = try db.fetchAll(Shot.self, sql: "SELECT * FROM shot")
      #expect(shots == [Self.shot])
      let rows = try db.fetchCursor(sql: "SELECT * FROM shot")
      let row = try #require(try rows.next())
      #expect(row.value(named: "ratings") == .text(#"{"a":2,"z":1}"#))
      #expect(row.value(named: "none") == .null)
      #expect(row.value(named: "data") == .blob([1, 2]))
      let second = try db.fetchOne(String.self, sql: "SELECT json_extract(tags, '$[1]') FROM shot")
      #expect(second == "\"")
      let tags = try db.fetchAll([String].self, sql: "SELECT tags FROM shot")
      #expect(tags == [Self.shot.tags])
    }
  }

  @Test func equalValuesHaveEqualTexts() throws {
    let numbers = Dictionary(uniqueKeysWithValues: (0..<20).map { ("\($0)", $0) })
    let texts = try (0..<10).map { _ in try JSONColumn.text(numbers.filter { $0.value >= 0 }) }
    #expect(Set(texts).count == 1)
  }

  /// What is text or has parts, as the value is.
  private enum Either: Codable, Equatable {
    case text(String)
    case parts([String: Int])

    init(from decoder: any Decoder) throws {
      if let parts = try? [String: Int](from: decoder) {
        self = .parts(parts)
      } else {
        self = .text(try decoder.singleValueContainer().decode(String.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .text(let text):
        var container = encoder.singleValueContainer()
        try container.encode(text)
      case .parts(let parts): try parts.encode(to: encoder)
      }
    }
  }

  @Test func aTypeThatTriesSeveralFormsIsDecoded() async throws {
    struct Row: Codable, Equatable { var first: Either, second: Either }
    let row = Row(first: .text("plain"), second: .parts(["a": 1]))
    let arguments = try DatabaseArguments(encoding: row)
    let read = try await Database.inMemory().read { db in
      try db.fetchOne(Row.self, sql: "SELECT :first AS first, :second AS second", arguments: arguments)
    }
    #expect(read == row)
  }

  @Test func nestedContainersOfARowAreJSON() async throws {
    struct Row: Decodable {
      enum Keys: String, CodingKey { case point, list }
      enum Parts: String, CodingKey { case x }
      var x: Int
      var list: [Int] = []

      init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: Keys.self)
        x = try row.nestedContainer(keyedBy: Parts.self, forKey: .point).decode(Int.self, forKey: .x)
        var numbers = try row.nestedUnkeyedContainer(forKey: .list)
        while !numbers.isAtEnd { list.append(try numbers.decode(Int.self)) }
      }
    }
    let row = try await Database.inMemory().read {
      try $0.fetchOne(Row.self, sql: #"SELECT '{"x": 7}' AS point, '[1, 2]' AS list"#)
    }
    #expect(row?.x == 7)
    #expect(row?.list == [1, 2])
  }

  @Test(arguments: [
    ("'{'", "the data are corrupted"), (#"'["a"]'"#, "a value has another type, at Index 0"), ("'{}'", "another type"),
    ("5", "the column list holds an integer, which cannot be decoded as JSON"),
    ("x'5B5D'", "the column list holds a blob, which cannot be decoded as JSON"),
  ])
  func badJSONIsAnErrorThatNamesTheColumn(sql: String, message: String) async throws {
    struct Row: Decodable { var list: [Int] }
    let error = await databaseError {
      try await Database.inMemory().read { try $0.fetchOne(Row.self, sql: "SELECT \(SQL(verbatim: sql)) AS list") }
    }
    #expect(error?.kind == .decoding)
    #expect(error?.message.contains("the column list") == true)
    #expect(error?.message.contains(message) == true)
  }

  @Test func whatJSONCannotHoldIsAnErrorThatNamesTheProperty() {
    struct Row: Encodable { var list = [Double.infinity] }
    struct Nested: Encodable {
      enum Keys: String, CodingKey { case point }
      func encode(to encoder: any Encoder) throws {
        var row = encoder.container(keyedBy: Keys.self)
        var point = row.nestedContainer(keyedBy: Keys.self, forKey: .point)
        try point.encode(1, forKey: .point)
      }
    }
    #expect(throws: DatabaseError.self) { try DatabaseArguments(encoding: Row()) }
    do { _ = try DatabaseArguments(encoding: Row()) } catch {
      #expect(error.message == "the property list, Array<Double>, cannot be stored in one column")
    }
    do { _ = try DatabaseArguments(encoding: Nested()) } catch {
      #expect(error.message.hasPrefix("the property point is encoded in a container of its own"))
    }
  }

  @Test func argumentsAreValuesWithNames() {
    #expect(throws: DatabaseError.self) { try DatabaseArguments(encoding: [1, 2]) }
    #expect(throws: DatabaseError.self) { try DatabaseArguments(encoding: 1) }
    #expect(throws: DatabaseError.self) { try DatabaseArguments(encoding: ["a": UInt64.max]) }
  }
}
