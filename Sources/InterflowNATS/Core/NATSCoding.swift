import Combine
import Foundation

/// How values become the bytes of a message, and bytes become values.
///
/// JSON is the default. Any pair of an encoder and a decoder for `Data` will do:
///
/// ```swift
/// let coding = NATSCoding<Order>(encoder: PropertyListEncoder(), decoder: PropertyListDecoder())
/// ```
public struct NATSCoding<Value: Sendable>: Sendable {
  let encode: @Sendable (Value) throws -> Data
  let decode: @Sendable (Data) throws -> Value

  /// Uses two closures, which may be called by several threads at once.
  public init(
    encode: @escaping @Sendable (Value) throws -> Data, decode: @escaping @Sendable (Data) throws -> Value
  ) {
    self.encode = encode
    self.decode = decode
  }

  /// Uses an encoder and a decoder, which may be called by several threads at once.
  public init<Encoder: TopLevelEncoder & Sendable, Decoder: TopLevelDecoder & Sendable>(
    encoder: Encoder, decoder: Decoder
  ) where Value: Codable, Encoder.Output == Data, Decoder.Input == Data {
    self.init(encode: { try encoder.encode($0) }, decode: { try decoder.decode(Value.self, from: $0) })
  }
}

extension NATSCoding where Value: Codable {
  /// JSON, with Foundation's defaults.
  public static var json: NATSCoding {
    NATSCoding(encode: { try JSONEncoder().encode($0) }, decode: { try JSONDecoder().decode(Value.self, from: $0) })
  }
}

extension NATSCoding where Value == Data {
  /// The bytes as they are.
  public static var data: NATSCoding {
    NATSCoding(encode: { $0 }, decode: { $0 })
  }
}

extension NATSCoding {
  /// - Parameter operation: Read where it fails: the text is made for each value otherwise.
  func bytes(of value: Value, while operation: @autoclosure () -> String) throws(NATSError) -> Data {
    do {
      return try encode(value)
    } catch {
      // The encoder's own text may show the value.
      throw NATSError(
        kind: .notEncodable, operation: operation(),
        message: "a value of \(Value.self) cannot be encoded\(Self.place(of: error))")
    }
  }

  func value(of bytes: Data, while operation: @autoclosure () -> String) throws(NATSError) -> Value {
    do {
      return try decode(bytes)
    } catch {
      // The decoder's own text may show parts of the message.
      throw NATSError(
        kind: .undecodable, operation: operation(),
        message: "\(bytes.count) bytes are no \(Value.self)\(Self.place(of: error))")
    }
  }

  private static func place(of error: any Error) -> String {
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
      return place(at: context.codingPath)
    case EncodingError.invalidValue(_, let context): return place(at: context.codingPath)
    default: return ""
    }
  }

  /// With `*` for a key that may be a part of the value, such as a dictionary's: what is surely the program's own is a case
  /// without associated values.
  private static func place(at codingPath: [any CodingKey]) -> String {
    let path = codingPath.map { key in
      let mirror = Mirror(reflecting: key)
      return mirror.displayStyle == .enum && mirror.children.isEmpty ? key.stringValue : "*"
    }.joined(separator: ".")
    return path.isEmpty ? "" : ", at “\(path)”"
  }
}
