/// Encodes the properties of a value as the arguments of a statement.
final class ArgumentsEncoder: Encoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private(set) var values: [String: DatabaseArgument] = [:]
  /// The type, if it chooses formats of columns.
  private let formatted: (any DatabaseFormatted.Type)?

  private init(_ formatted: (any DatabaseFormatted.Type)?) {
    self.formatted = formatted
  }

  static func encode<Value: Encodable>(_ value: Value) throws(DatabaseError) -> [String: DatabaseArgument] {
    let encoder = ArgumentsEncoder(Value.self as? any DatabaseFormatted.Type)
    do {
      try value.encode(to: encoder)
    } catch {
      throw DatabaseError.unstorable(value, error)
    }
    return encoder.values
  }

  func set(_ argument: DatabaseArgument, for key: any CodingKey) throws {
    let name = key.stringValue
    // A property that is not optional could not be decoded from `NULL`, and another one would be nil.
    if case .value(.real(let number)) = argument, number.isNaN {
      throw DatabaseError.misuse("SQLite stores NaN as NULL")
    }
    if let formatted, argument.dependsOnFormats, let formats = formatted.formats(forColumn: name) {
      values[name] = .value(try argument.value(formats))
    } else {
      values[name] = argument
    }
  }

  func setNil(for key: any CodingKey) { values[key.stringValue] = .value(.null) }

  func encode<Value: Encodable>(_ value: Value, for key: any CodingKey) throws {
    do {
      try set(try ColumnEncoder.encode(value), for: key)
    } catch {
      throw DatabaseError.unstorable(value, error, property: key.stringValue)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(ArgumentsContainer(self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingEncoder(.withoutNames) }

  func singleValueContainer() -> any SingleValueEncodingContainer { RefusingEncoder(.withoutNames) }
}

private struct ArgumentsContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ArgumentsEncoder
  var codingPath: [any CodingKey] { [] }

  init(_ encoder: ArgumentsEncoder) { self.encoder = encoder }

  func encodeNil(forKey key: Key) { encoder.setNil(for: key) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder.encode(value, for: key) }

  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    guard let value else { return encoder.setNil(for: key) }
    try encoder.encode(value, for: key)
  }

  // The requirements for the standard types have defaults that leave out what is nil, but a parameter needs a value.
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try set(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try set(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try set(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try set(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try set(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try set(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try set(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try set(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try set(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try set(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try set(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try set(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
    guard let value else { return encoder.setNil(for: key) }
    try encoder.encode(value, for: key)
  }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
    guard let value else { return encoder.setNil(for: key) }
    try encoder.encode(value, for: key)
  }

  private func set(_ value: (some DatabaseConvertible)?, _ key: Key) throws {
    do {
      try encoder.set(.value(value?.databaseValue ?? .null), for: key)
    } catch {
      throw DatabaseError.unstorable(value, error, property: key.stringValue)
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { refused(key).container(keyedBy: keyType) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { refused(key) }

  func superEncoder() -> any Encoder { RefusingEncoder(.nestedContainer("super")) }

  func superEncoder(forKey key: Key) -> any Encoder { refused(key) }

  private func refused(_ key: Key) -> RefusingEncoder { RefusingEncoder(.nestedContainer(key.stringValue)) }
}

extension DatabaseError {
  /// - Parameter property: The property whose value it is.
  static func unstorable(
    _ value: some Any, _ error: (any Error)? = nil, property: String? = nil
  ) -> DatabaseError {
    let subject = property.map { "the property \($0), \(type(of: value))," } ?? "\(type(of: value))"
    guard let error = error as? DatabaseError else {
      return DatabaseError(kind: .misuse, message: "\(subject) cannot be stored in one column", underlying: error)
    }
    guard property != nil else { return error }
    return DatabaseError(
      kind: error.kind, message: "\(subject) cannot be stored: \(error.message)", underlying: error.underlying)
  }

  fileprivate static var withoutNames: DatabaseError {
    .misuse("arguments are the properties of a value with several, by their names: use an array literal for positions")
  }

  fileprivate static func nestedContainer(_ property: String) -> DatabaseError {
    .misuse(
      """
      the property \(property) is encoded in a container of its own: encode a value with several parts instead, which \
      is stored as JSON
      """)
  }
}
