extension RangeReplaceableCollection {
  /// Makes a collection of the elements of an asynchronous sequence.
  ///
  /// ```swift
  /// let numbers = await Array((1...3).async)  // [1, 2, 3]
  /// ```
  ///
  /// It returns when the sequence ends, also because of a cancellation: the elements until then are in the collection.
  ///
  /// - Parameter source: The sequence. If it fails, the error is thrown.
  @inlinable
  public nonisolated(nonsending) init<Source: AsyncSequence>(
    _ source: Source
  ) async throws(Source.Failure) where Source.Element == Element {
    self.init()
    var iterator = source.makeAsyncIterator()
    while let element = try await iterator.next(isolation: #isolation) { append(element) }
  }
}
