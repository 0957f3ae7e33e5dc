extension AsyncSequence {
  /// The last element, or `nil` if there is none.
  ///
  /// ```swift
  /// let word = await ["a", "b"].async.last()  // "b"
  /// ```
  ///
  /// It returns when the base ends, also because of a cancellation: it is the last element until then.
  ///
  /// - Throws: The base's failure.
  @_disfavoredOverload
  @inlinable
  public nonisolated(nonsending) func last() async throws(Failure) -> Element? {
    var last: Element?
    var iterator = makeAsyncIterator()
    while let element = try await iterator.next(isolation: #isolation) { last = element }
    return last
  }

  /// The last element that a closure accepts, or `nil` if there is none.
  ///
  /// ```swift
  /// let number = await [1, 4, 3].async.last { $0.isMultiple(of: 2) }  // 4
  /// ```
  ///
  /// It returns when the base ends, also because of a cancellation: it is the last such element until then.
  ///
  /// - Parameter predicate: Says whether an element is accepted.
  /// - Throws: The base's failure, or what the closure throws.
  @_disfavoredOverload
  @inlinable
  public nonisolated(nonsending) func last(
    where predicate: nonisolated(nonsending) (Element) async throws -> Bool
  ) async rethrows -> Element? {
    var last: Element?
    var iterator = makeAsyncIterator()
    while let element = try await iterator.next(isolation: #isolation) {
      if try await predicate(element) { last = element }
    }
    return last
  }
}
