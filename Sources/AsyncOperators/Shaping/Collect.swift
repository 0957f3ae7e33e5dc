extension AsyncSequence {
  /// All elements.
  ///
  /// ```swift
  /// let numbers = await (1...3).async.collect()  // [1, 2, 3]
  /// ```
  ///
  /// It returns when the base ends, also because of a cancellation: the elements until then are in the array.
  ///
  /// - Throws: The base's failure.
  @_disfavoredOverload
  @inlinable
  public nonisolated(nonsending) func collect() async throws(Failure) -> [Element] {
    try await [Element](self)
  }

  /// Collects the elements in arrays of a number of elements each: ``chunks(ofCount:)`` under its other name.
  ///
  /// ```swift
  /// for await page in (1...5).async.collect(2) {
  ///   print(page)  // [1, 2], [3, 4], [5]
  /// }
  /// ```
  ///
  /// What is left when the base ends, also because of a cancellation, is a shorter array. If the base fails, the error
  /// is thrown at once, and the elements of the array that is not full are dropped.
  ///
  /// - Parameter count: The number of elements, which must be at least one.
  @inlinable
  public func collect(_ count: Int) -> AsyncChunksOfCountSequence<Self, [Element]> {
    chunks(ofCount: count)
  }
}
