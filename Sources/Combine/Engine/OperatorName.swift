/// What an operator calls itself where it describes itself: a literal, in eight bytes, for every live subscription has
/// one.
@frozen
@usableFromInline
struct OperatorName: ExpressibleByStringLiteral, CustomStringConvertible, @unchecked Sendable {
  // Points into the program's own constants, which never change.
  @usableFromInline let start: UnsafePointer<UInt8>

  @inlinable
  init(stringLiteral value: StaticString) {
    start = value.utf8Start
  }

  @usableFromInline var description: String { String(cString: start) }
}
