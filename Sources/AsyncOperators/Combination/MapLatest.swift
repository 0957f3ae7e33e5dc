extension AsyncSequence where Self: Sendable {
  /// Runs an async closure for the latest element, and delivers its result unless a newer element comes before.
  ///
  /// ```swift
  /// for await hits in queries.mapLatest({ query in await search(query) }) {
  ///   show(hits)
  /// }
  /// ```
  ///
  /// It fails when the base does, or with what the closure throws, which is of the base's failure type. See
  /// ``AsyncFlatMapLatestSequence``.
  ///
  /// A newer element cancels the closure that runs, and its result, also an error, is ignored then.
  ///
  /// - Parameter transform: Makes a result of an element, in a task of its own.
  @inlinable
  public func mapLatest<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) async throws(Failure) -> Output
  ) -> AsyncFlatMapLatestSequence<Self, AsyncCallSequence<Output, Failure>>
  where Element: Sendable {
    AsyncFlatMapLatestSequence(
      self, { element in AsyncCallSequence { () async throws(Failure) in try await transform(element) } })
  }

  /// Runs an async closure for the latest element, and delivers its result unless a newer element comes before.
  ///
  /// The base cannot fail, so it fails with what the closure throws. Otherwise, it is the same as the overload whose
  /// closure throws the base's failure.
  ///
  /// - Parameter transform: Makes a result of an element, in a task of its own.
  @_disfavoredOverload
  @inlinable
  public func mapLatest<Output: Sendable, ClosureFailure: Error>(
    _ transform: @escaping @Sendable (Element) async throws(ClosureFailure) -> Output
  ) -> AsyncFlatMapLatestSequence<
    AsyncWidenedFailureSequence<Self, ClosureFailure>, AsyncCallSequence<Output, ClosureFailure>
  >
  where Element: Sendable, Failure == Never {
    AsyncFlatMapLatestSequence(
      AsyncWidenedFailureSequence(self),
      { element in AsyncCallSequence { () async throws(ClosureFailure) in try await transform(element) } })
  }

  /// Runs an async closure for the latest element, and delivers its result unless a newer element comes before.
  ///
  /// It fails when the base does, or with what the closure throws. Otherwise, it is the same as the overload whose
  /// closure throws the base's failure.
  ///
  /// - Parameter transform: Makes a result of an element, in a task of its own.
  @_disfavoredOverload
  @inlinable
  public func mapLatest<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) async throws -> Output
  ) -> AsyncFlatMapLatestSequence<AsyncWidenedFailureSequence<Self, any Error>, AsyncCallSequence<Output, any Error>>
  where Element: Sendable {
    AsyncFlatMapLatestSequence(
      AsyncWidenedFailureSequence(self),
      { element in AsyncCallSequence { () async throws in try await transform(element) } })
  }
}
