/// The properties of a row.
struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let row: RowDecoder

  init(_ row: RowDecoder) {
    self.row = row
  }

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { row.columns.properties.compactMap { Key(stringValue: $0) } }

  // The column that comes next may only be asked for while a row is decoded.
  func contains(_ key: Key) -> Bool {
    row.columns.index(of: key.stringValue, guess: 0) != nil
      || row.isDecoding && row.nested(key.stringValue) != nil
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    try row.requireDecoding()
    guard let column = row.columns.index(of: key.stringValue, guess: row.nextColumn) else {
      if let nested = row.nested(key.stringValue) { return nested.isAllNull }
      guard row.missingColumns == .decodeAsNil else { throw absent(key) }
      return true
    }
    return row.values.isNull(column)
  }

  @inline(__always) private func column(_ key: Key) throws(DatabaseError) -> Int {
    guard let column = try row.column(key) else { throw absent(key) }
    return column
  }

  @inline(never) private func absent(_ key: Key) -> DatabaseError {
    DatabaseError(kind: .decoding, message: "there is no column \(row.prefix)\(key.stringValue)", sql: row.sql)
  }

  @inline(__always) private func integer<Number: FixedWidthInteger>(_ key: Key) throws(DatabaseError) -> Number {
    try row.integer(try column(key))
  }

  /// The column of a property that may be nil, if it exists and is not `NULL`.
  @inline(__always) private func present(_ key: Key) throws(DatabaseError) -> Int? {
    guard let column = try row.column(key) else {
      guard row.missingColumns == .decodeAsNil else { throw absent(key) }
      return nil
    }
    return row.values.isNull(column) ? nil : column
  }

  @inline(__always)
  private func integerIfPresent<Number: FixedWidthInteger>(_ key: Key) throws(DatabaseError) -> Number? {
    guard let column = try present(key) else { return nil }
    return try row.integer(column) as Number
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    if let column = try row.column(key) { return try row.decodeColumn(column, type, key.stringValue) }
    return try nested(type, key).decode(type)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    if let column = try row.column(key) {
      return row.values.isNull(column) ? nil : try row.decodeColumn(column, type, key.stringValue)
    }
    if row.missingColumns == .decodeAsNil, row.nested(key.stringValue) == nil { return nil }
    let nested = try nested(type, key)
    return nested.isAllNull ? nil : try nested.decode(type)
  }

  /// The decoder of a property that has several columns.
  private func nested<Value>(_ type: Value.Type, _ key: Key) throws(DatabaseError) -> RowDecoder {
    guard !(type is any DatabaseConvertible.Type), let nested = row.nested(key.stringValue) else { throw absent(key) }
    return nested
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try (integer(key) as Int64) != 0 }

  func decode(_ type: String.Type, forKey key: Key) throws -> String { try row.text(try column(key)) }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try row.real(try column(key)) }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { Float(try decode(Double.self, forKey: key)) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    (try integerIfPresent(key) as Int64?).map { $0 != 0 }
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    guard let column = try present(key) else { return nil }
    return try row.text(column)
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    guard let column = try present(key) else { return nil }
    return try row.real(column)
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try decodeIfPresent(Double.self, forKey: key).map { Float($0) }
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try integerIfPresent(key) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try decoder(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { row }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: Key) throws -> ColumnDecoder {
    ColumnDecoder(row: row, column: try column(key), property: key.stringValue)
  }
}
