import InterflowSQLite
import Testing

@Suite struct RowDecoderTests {
  private func one<Value: Decodable & Sendable>(_ type: Value.Type, _ sql: String) async throws -> Value? {
    try await Database.inMemory().read { try $0.fetchOne(type, sql: SQL(verbatim: sql)) }
  }

  @Test func columnsAreFoundByName() async throws {
    let picture = try await one(Picture.self, "SELECT 2.5 AS rating, 0 AS other, 'a' AS title, 7 AS id")
    #expect(picture == Picture(7, "a", rating: 2.5))
  }

  @Test func aColumnThatIsNotThereIsNil() async throws {
    #expect(try await one(Picture.self, "SELECT 7 AS id, 'a' AS title") == Picture(7, "a"))
  }

  @Test func aColumnThatIsNeededIsNamed() async throws {
    let error = await databaseError { try await one(Picture.self, "SELECT 7 AS id") }
    #expect(error?.kind == .decoding)
    #expect(error?.message == "there is no column title")
  }

  @Test(arguments: [
    "SELECT 'x' AS id, 'a' AS title", "SELECT 1.5 AS id, 'a' AS title", "SELECT 1 AS id, x'00' AS title",
    "SELECT NULL AS id, 'a' AS title", "SELECT 1 AS id, 5 AS title", "SELECT 1 AS id, 'a' AS title, 'b' AS rating",
  ])
  func aValueOfAnotherTypeIsAnError(sql: String) async throws {
    let error = await databaseError { try await one(Picture.self, sql) }
    #expect(error?.kind == .decoding)
    #expect(error?.sql == sql)
  }

  @Test func numbersMustFit() async throws {
    #expect(try await one(Int8.self, "SELECT -128") == -128)
    #expect(await databaseError { try await one(Int8.self, "SELECT 128") }?.kind == .decoding)
    #expect(await databaseError { try await one(UInt64.self, "SELECT -1") }?.kind == .decoding)
    #expect(try await one(UInt.self, "SELECT 1") == 1)
    #expect(try await one(Double.self, "SELECT 1") == 1)
    #expect(try await one(Float.self, "SELECT 1.5") == 1.5)
    #expect(try await one(Bool.self, "SELECT 2") == true)
  }

  @Test func singleColumnsAreDecodedWithoutNames() async throws {
    enum Kind: String, Codable { case star }
    #expect(try await one(Kind.self, "SELECT 'star'") == .star)
    #expect(await databaseError { try await one(Kind.self, "SELECT 'moon'") }?.kind == .decoding)
    #expect(try await one(String?.self, "SELECT NULL") == .some(nil))
    #expect(try await one([UInt8].self, "SELECT x'0102'") == [1, 2])
    #expect(try await one(Int.self, "SELECT 1 WHERE 0") == nil)
    #expect(await databaseError { try await one([String].self, "SELECT 'a'") }?.kind == .decoding)
    #expect(await databaseError { try await one([String: [Int]].self, "SELECT 1 AS a") }?.kind == .decoding)
  }

  @Test func aSingleValueThatIsNullIsNil() async throws {
    let database = try await memory()
    try await database.read { db in
      let none = try db.fetchOne(Int.self, sql: "SELECT max(id) FROM picture")
      #expect(none == nil)
    }
    #expect(try await one(String.self, "SELECT NULL") == nil)
    struct Level: Decodable, DatabaseConvertible, Equatable, Sendable {
      var number: Int64
      init(number: Int64) { self.number = number }
      var databaseValue: DatabaseValue { .integer(number) }
      init?(databaseValue: DatabaseValue) {
        guard case .integer(let number) = databaseValue else {
          number = 0
          return
        }
        self.number = number
      }
    }
    #expect(try await one(Level.self, "SELECT NULL") == Level(number: 0), "the type says what NULL is")
    // Several rows keep their number, and properties say themselves whether they may be nil.
    #expect(await databaseError { try await database.read { try $0.fetchAll(Int.self, sql: "SELECT NULL") } } != nil)
    #expect(await databaseError { try await one(Picture.self, "SELECT NULL AS id, 'a' AS title") } != nil)
  }

  @Test func textThatIsNotUTF8IsRepaired() async throws {
    #expect(try await one(String.self, "SELECT CAST(x'61ff62' AS TEXT)") == "a\u{FFFD}b")
  }

  // MARK: Errors

  private enum Kind: String, Codable, Sendable { case star }
  private struct Object: Codable, Sendable { var kind: Kind }
  private struct Single: Codable, Sendable {
    var kind: Kind
    init(from decoder: any Decoder) throws { kind = try decoder.singleValueContainer().decode(Kind.self) }
  }

  @Test func anErrorNamesTheColumn() async throws {
    func message(_ type: (some Decodable & Sendable).Type) async -> String? {
      await databaseError {
        try await Database.inMemory().read { try $0.fetchOne(type, sql: "SELECT 'moon' AS kind, 2 AS b") != nil }
      }?.message
    }
    #expect(await message(Kind.self) == "the column kind cannot be decoded as Kind: the data are corrupted")
    #expect(await message(Object.self) == "the column kind cannot be decoded as Kind: the data are corrupted")
    #expect(await message(Single.self) == "the column kind cannot be decoded as Kind: the data are corrupted")
    #expect(await message([Int].self)?.hasPrefix("the column kind ") == true)
    #expect(await message(Int.self) == "the column kind holds text, which cannot be decoded as Int")
  }
}
