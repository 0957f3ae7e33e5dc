extension SetAlgebra {
  /// Makes a set of the elements of an asynchronous sequence.
  ///
  /// ```swift
  /// let numbers = await Set([1, 2, 1].async)  // 1, 2
  /// ```
  ///
  /// It returns when the sequence ends, also because of a cancellation: the elements until then are in the set.
  ///
  /// - Parameter source: The sequence. If it fails, the error is thrown.
  @inlinable
  public nonisolated(nonsending) init<Source: AsyncSequence>(
    _ source: Source
  ) async throws(Source.Failure) where Source.Element == Element {
    self.init()
    var iterator = source.makeAsyncIterator()
    while let element = try await iterator.next(isolation: #isolation) { insert(element) }
  }
}
