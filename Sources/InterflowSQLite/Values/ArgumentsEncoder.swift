/// Encodes the properties of a value as the arguments of a statement.
final class ArgumentsEncoder: Encoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private(set) var values: [String: DatabaseValue] = [:]

  static func encode(_ value: some Encodable) throws(DatabaseError) -> [String: DatabaseValue] {
    let encoder = ArgumentsEncoder()
    do {
      try value.encode(to: encoder)
    } catch {
      throw DatabaseError.unstorable(value, error)
    }
    return encoder.values
  }

  func set(_ value: DatabaseValue, for key: any CodingKey) { values[key.stringValue] = value }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(ArgumentsContainer(self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingEncoder.container }

  func singleValueContainer() -> any SingleValueEncodingContainer { RefusingEncoder() }
}

private struct ArgumentsContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ArgumentsEncoder
  var codingPath: [any CodingKey] { [] }

  init(_ encoder: ArgumentsEncoder) { self.encoder = encoder }

  func encodeNil(forKey key: Key) { encoder.set(.null, for: key) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    encoder.set(try ColumnEncoder.encode(value), for: key)
  }

  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    encoder.set(try value.map { try ColumnEncoder.encode($0) } ?? .null, for: key)
  }

  // The requirements for the standard types have defaults that leave out what is nil, but a parameter needs a value.
  func encodeIfPresent(_ value: Bool?, forKey key: Key) { set(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) { set(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) { set(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) { set(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) { set(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) { set(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) { set(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) { set(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) { set(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) { set(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) { set(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) { set(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
    encoder.set(try value.map { try ColumnEncoder.encode($0) } ?? .null, for: key)
  }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
    encoder.set(try value.map { try ColumnEncoder.encode($0) } ?? .null, for: key)
  }

  private func set(_ value: (some DatabaseConvertible)?, _ key: Key) {
    encoder.set(value?.databaseValue ?? .null, for: key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(RefusingKeyedContainer<Nested>()) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingEncoder.container }

  func superEncoder() -> any Encoder { RefusingEncoder() }

  func superEncoder(forKey key: Key) -> any Encoder { RefusingEncoder() }
}

extension DatabaseError {
  static func unstorable(_ value: some Any, _ error: (any Error)? = nil) -> DatabaseError {
    if let error = error as? DatabaseError { return error }
    return DatabaseError(
      kind: .misuse, message: "\(type(of: value)) cannot be stored in one column", underlying: error)
  }
}
