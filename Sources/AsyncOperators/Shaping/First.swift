extension AsyncSequence {
  /// The first element, or `nil` if there is none.
  ///
  /// ```swift
  /// let word = await ["a", "b"].async.first()  // "a"
  /// ```
  ///
  /// It returns when the element arrives, and takes none after it. A cancellation has the base end, so that `nil` is
  /// returned. The standard library has the form with a condition, `first(where:)`.
  ///
  /// - Throws: The base's failure, if it comes before an element.
  @_disfavoredOverload
  @inlinable
  public nonisolated(nonsending) func first() async throws(Failure) -> Element? {
    var iterator = makeAsyncIterator()
    return try await iterator.next(isolation: #isolation)
  }
}
