/// A value as SQLite stores it.
public enum DatabaseValue: Sendable, Hashable {
  /// `NULL`.
  case null
  /// A whole number.
  case integer(Int64)
  /// A floating-point number. SQLite stores `NaN` as `NULL`. As a property of a record, or of another type that is
  /// encoded, it is refused with an error of the kind ``DatabaseError/Kind-swift.enum/misuse``.
  case real(Double)
  /// Text. It may contain zero bytes.
  case text(String)
  /// Bytes.
  case blob([UInt8])

  /// Whether this is `NULL`.
  public var isNull: Bool { self == .null }
}

extension DatabaseValue: DatabaseConvertible {
  /// The value itself.
  public var databaseValue: DatabaseValue { self }

  /// Makes a copy.
  public init?(databaseValue: DatabaseValue) { self = databaseValue }
}

extension DatabaseValue {
  /// The name of its storage class, for messages.
  var typeName: String {
    switch self {
    case .null: "NULL"
    case .integer: "an integer"
    case .real: "a real number"
    case .text: "text"
    case .blob: "a blob"
    }
  }
}
