/// Something that encodes whole values, such as `JSONEncoder`.
public protocol TopLevelEncoder {
  /// What a value is encoded to.
  associatedtype Output

  /// Encodes a value.
  func encode<T: Encodable>(_ value: T) throws -> Output
}

/// Something that decodes whole values, such as `JSONDecoder`.
public protocol TopLevelDecoder {
  /// What a value is decoded from.
  associatedtype Input

  /// Decodes a value of a type.
  func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}
