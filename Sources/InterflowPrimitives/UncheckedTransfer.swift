/// Carries a value across an isolation boundary that the compiler cannot see is safe.
///
/// Combine's values need not be `Sendable`: a publisher's contract (signals one at a time, each passed on as a whole)
/// is what makes the crossing safe, and that contract is stated where the transfer is made.
@frozen
@usableFromInline
package struct UncheckedTransfer<Value>: @unchecked Sendable {  // Handed over once; the sender keeps no reference.
  @usableFromInline package var value: Value

  @inlinable
  package init(_ value: Value) {
    self.value = value
  }
}
