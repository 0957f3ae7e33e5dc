/// The name of an operator in descriptions. It is a literal that takes eight bytes, since every live subscription
/// stores one.
@frozen
@usableFromInline
struct OperatorName: ExpressibleByStringLiteral, CustomStringConvertible, @unchecked Sendable {
  // Points to a constant of the program, which never changes.
  @usableFromInline let start: UnsafePointer<UInt8>

  @inlinable
  init(stringLiteral value: StaticString) {
    start = value.utf8Start
  }

  @usableFromInline var description: String { String(cString: start) }
}
