extension AsyncSequence {
  /// Assigns each element to a property, until the end.
  ///
  /// ```swift
  /// @MainActor func show(_ titles: some AsyncSequence<String, Never>, on label: Label) async {
  ///   await titles.assign(to: \.text, on: label)
  /// }
  /// ```
  ///
  /// Combine's `assign(to:on:)` returns at once, and what it returns cancels. This function returns at the end, so
  /// nothing outlives its caller; call it in a task to go on at once, and cancel that. It retains the object until it
  /// returns. A cancelled task gets the end when the base returns it.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - object: The object whose property it is.
  ///   - isolation: Where the elements are assigned: by default, the caller's isolation.
  /// - Throws: The failure of this sequence.
  @inlinable
  public func assign<Root>(
    to keyPath: ReferenceWritableKeyPath<Root, Element>, on object: Root,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(Failure) {
    var iterator = makeAsyncIterator()
    while let element = try await iterator.next(isolation: isolation) { object[keyPath: keyPath] = element }
  }
}
