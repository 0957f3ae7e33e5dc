/// Decodes a value that is stored in one column: an enumeration with raw values, for one, or what has several parts, from
/// JSON.
struct ColumnDecoder: Decoder, SingleValueDecodingContainer {
  let row: RowDecoder
  let column: Int
  /// The name of the property, for formats.
  let property: String?

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  // What has several parts is stored as JSON.

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try json().container(keyedBy: type)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try json().unkeyedContainer() }

  private func json() throws -> any Decoder {
    try row.requireDecoding()
    guard let text = row.values.text(column) else { throw row.mismatch(column, "JSON") }
    return try JSONColumn.decoder(text)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  // Where it must not be asked, what follows throws.
  func decodeNil() -> Bool { row.isDecoding && row.values.isNull(column) }

  func decode(_ type: Bool.Type) throws -> Bool { try (integer() as Int64) != 0 }

  func decode(_ type: String.Type) throws -> String {
    try row.requireDecoding()
    return try row.text(column)
  }

  func decode(_ type: Double.Type) throws -> Double {
    try row.requireDecoding()
    return try row.real(column)
  }

  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

  func decode(_ type: Int.Type) throws -> Int { try integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try row.requireDecoding()
    return try row.decodeColumn(column, type, property)
  }

  private func integer<Number: FixedWidthInteger>() throws(DatabaseError) -> Number {
    try row.requireDecoding()
    return try row.integer(column)
  }
}
