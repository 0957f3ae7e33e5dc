/// Passes a value that is not `Sendable` across an isolation boundary.
///
/// Combine's values need not be `Sendable`: a publisher's contract (one signal at a time, and the sender does not use a
/// value after it has sent it) makes this safe. The reason is stated where the transfer is made.
@frozen
@usableFromInline
package struct UncheckedTransfer<Value>: @unchecked Sendable {  // Passed once; the sender does not use it again.
  @usableFromInline package var value: Value

  @inlinable
  package init(_ value: Value) {
    self.value = value
  }
}
