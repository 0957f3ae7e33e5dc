/// A type whose values are stored in one column.
///
/// Bindings and single columns use it. A type of your own conforms with two members:
///
/// ```swift
/// struct Identifier: DatabaseConvertible {
///   var number: Int64
///   init(number: Int64) { self.number = number }
///
///   var databaseValue: DatabaseValue { .integer(number) }
///   init?(databaseValue: DatabaseValue) {
///     guard case .integer(let number) = databaseValue else { return nil }
///     self.number = number
///   }
/// }
/// ```
public protocol DatabaseConvertible {
  /// The value that is stored.
  var databaseValue: DatabaseValue { get }

  /// Makes the value from a stored one; `nil` if it has another form.
  init?(databaseValue: DatabaseValue)
}

extension DatabaseConvertible where Self: FixedWidthInteger {
  /// The number. A number that 64 signed bits cannot hold is a programming error and traps.
  public var databaseValue: DatabaseValue { .integer(Int64(self)) }

  /// Makes the number, if it fits.
  public init?(databaseValue: DatabaseValue) {
    guard case .integer(let number) = databaseValue else { return nil }
    self.init(exactly: number)
  }
}

extension Int: DatabaseConvertible {}
extension Int64: DatabaseConvertible {}
extension Int32: DatabaseConvertible {}
extension Int16: DatabaseConvertible {}
extension Int8: DatabaseConvertible {}
extension UInt32: DatabaseConvertible {}
extension UInt16: DatabaseConvertible {}
extension UInt8: DatabaseConvertible {}

extension Bool: DatabaseConvertible {
  /// One for `true`, zero for `false`.
  public var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }

  /// `true` for every number except zero.
  public init?(databaseValue: DatabaseValue) {
    guard case .integer(let number) = databaseValue else { return nil }
    self = number != 0
  }
}

extension Double: DatabaseConvertible {
  /// The number.
  public var databaseValue: DatabaseValue { .real(self) }

  /// Makes the number, from a whole one as well.
  public init?(databaseValue: DatabaseValue) {
    switch databaseValue {
    case .real(let number): self = number
    case .integer(let number): self = Double(number)
    default: return nil
    }
  }
}

extension Float: DatabaseConvertible {
  /// The number.
  public var databaseValue: DatabaseValue { .real(Double(self)) }

  /// Makes the nearest number, from a whole one as well.
  public init?(databaseValue: DatabaseValue) {
    guard let number = Double(databaseValue: databaseValue) else { return nil }
    self.init(number)
  }
}

extension String: DatabaseConvertible {
  /// The text.
  public var databaseValue: DatabaseValue { .text(self) }

  /// Makes the text.
  public init?(databaseValue: DatabaseValue) {
    guard case .text(let text) = databaseValue else { return nil }
    self = text
  }
}

extension [UInt8]: DatabaseConvertible {
  /// The bytes.
  public var databaseValue: DatabaseValue { .blob(self) }

  /// Makes the bytes.
  public init?(databaseValue: DatabaseValue) {
    guard case .blob(let bytes) = databaseValue else { return nil }
    self = bytes
  }
}
