/// An iterator that calls its base on its caller's isolation, and so has one `next` function only.
///
/// The standard library's `next()` for such iterators leaves the caller's isolation. The operators' does not.
public protocol _IsolatedIterator: AsyncIteratorProtocol {}

extension _IsolatedIterator {
  /// The next element, on the caller's isolation; `nil` after the end.
  @_documentation(visibility: internal)  // Each iterator has it, and its `next(isolation:)` is the page of it.
  @inlinable
  public nonisolated(nonsending) mutating func next() async throws(Failure) -> Element? {
    try await next(isolation: #isolation)
  }
}
