/// Encodes a value that is stored in one column, such as an enumeration with raw values.
final class ColumnEncoder: Encoder, SingleValueEncodingContainer {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var value: DatabaseValue?

  static func encode<T: Encodable>(_ value: T) throws -> DatabaseValue {
    if let value = value as? any DatabaseConvertible { return value.databaseValue }
    let encoder = ColumnEncoder()
    try value.encode(to: encoder)
    guard let value = encoder.value else { throw DatabaseError.unstorable(value) }
    return value
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingKeyedContainer())
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingEncoder.container }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { value = .null }

  func encode(_ value: UInt) throws { try encodeUnsigned(UInt64(value)) }

  func encode(_ value: UInt64) throws { try encodeUnsigned(value) }

  private func encodeUnsigned(_ value: UInt64) throws {
    guard let number = Int64(exactly: value) else { throw DatabaseError.unstorable(value) }
    self.value = .integer(number)
  }

  func encode<T: Encodable>(_ value: T) throws { self.value = try Self.encode(value) }
}

/// Where a value has more than one part, which one column cannot hold: every call throws.
struct RefusingEncoder: Encoder, SingleValueEncodingContainer {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  static var container: any UnkeyedEncodingContainer { RefusingUnkeyedContainer() }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingKeyedContainer())
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { Self.container }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func encodeNil() throws { throw DatabaseError.unstorable(self) }
  func encode<T: Encodable>(_ value: T) throws { throw DatabaseError.unstorable(value) }
}

struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let codingPath: [any CodingKey] = []

  func encodeNil(forKey key: Key) throws { throw DatabaseError.unstorable(key) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw DatabaseError.unstorable(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(RefusingKeyedContainer<Nested>()) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingEncoder.container }
  func superEncoder() -> any Encoder { RefusingEncoder() }
  func superEncoder(forKey key: Key) -> any Encoder { RefusingEncoder() }
}

private struct RefusingUnkeyedContainer: UnkeyedEncodingContainer {
  let codingPath: [any CodingKey] = []
  let count = 0

  func encodeNil() throws { throw DatabaseError.unstorable(self) }
  func encode<T: Encodable>(_ value: T) throws { throw DatabaseError.unstorable(value) }

  func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RefusingKeyedContainer<Nested>())
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { RefusingEncoder() }
}
