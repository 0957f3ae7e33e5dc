/// A type that encodes whole values, such as `JSONEncoder`.
public protocol TopLevelEncoder {
  /// The type that a value is encoded to.
  associatedtype Output

  /// Encodes a value.
  func encode<T: Encodable>(_ value: T) throws -> Output
}

/// A type that decodes whole values, such as `JSONDecoder`.
public protocol TopLevelDecoder {
  /// The type that a value is decoded from.
  associatedtype Input

  /// Decodes a value of a type.
  func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}
