/// Encodes a value that is stored in one column: an enumeration with raw values, for one, or what has several parts, as
/// JSON.
final class ColumnEncoder: Encoder, SingleValueEncodingContainer {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var argument: DatabaseArgument?
  /// Whether a container for several parts was asked for.
  private var hasParts = false

  static func encode<T: Encodable>(_ value: T) throws -> DatabaseArgument {
    if let value = value as? any DatabaseConvertible { return DatabaseArgument(value) }
    let encoder = ColumnEncoder()
    do {
      try value.encode(to: encoder)
    } catch {
      guard encoder.hasParts else { throw error }
    }
    // One without any part does not ask for a container.
    guard !encoder.hasParts, let argument = encoder.argument else { return .value(.text(try JSONColumn.text(value))) }
    return argument
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    hasParts = true
    return RefusingEncoder(.parts).container(keyedBy: type)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    hasParts = true
    return RefusingEncoder(.parts)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { argument = .value(.null) }

  func encode(_ value: UInt) throws { try encodeUnsigned(UInt64(value)) }

  func encode(_ value: UInt64) throws { try encodeUnsigned(value) }

  private func encodeUnsigned(_ value: UInt64) throws {
    guard let number = Int64(exactly: value) else { throw DatabaseError.unstorable(value) }
    argument = .value(.integer(number))
  }

  func encode<T: Encodable>(_ value: T) throws { argument = try Self.encode(value) }
}

extension DatabaseError {
  /// Ends the encoding of a value that is stored as JSON.
  fileprivate static var parts: DatabaseError { .misuse("a value with several parts is stored as JSON") }
}

/// Every call throws.
struct RefusingEncoder: Encoder, SingleValueEncodingContainer, UnkeyedEncodingContainer {
  private let error: DatabaseError
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  let count = 0

  init(_ error: DatabaseError) { self.error = error }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingKeyedContainer(error))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func encodeNil() throws { throw error }
  func encode<T: Encodable>(_ value: T) throws { throw error }

  func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
    container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { self }
}

private struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let error: DatabaseError
  let codingPath: [any CodingKey] = []

  init(_ error: DatabaseError) { self.error = error }

  func encodeNil(forKey key: Key) throws { throw error }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw error }

  func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { RefusingEncoder(error).container(keyedBy: keyType) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingEncoder(error) }
  func superEncoder() -> any Encoder { RefusingEncoder(error) }
  func superEncoder(forKey key: Key) -> any Encoder { RefusingEncoder(error) }
}
