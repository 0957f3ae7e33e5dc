extension AsyncSequence where Self: Sendable {
  /// Runs an async closure for each element, several at a time, and delivers each result when its closure returns.
  ///
  /// ```swift
  /// for await size in files.task(maxTasks: 4, { file in await size(of: file) }) {
  ///   print(size)  // that of the smallest, perhaps, which was read first
  /// }
  /// ```
  ///
  /// It fails when the base does, or with what the closure throws, which is of the base's failure type. See
  /// ``AsyncConcurrentFlatMapSequence``; `concurrentMap(maxTasks:_:)` delivers the results in the order of the elements.
  ///
  /// Running closures and results that have not been delivered are never more than `maxTasks`. Nothing is taken from the
  /// base while there are as many.
  ///
  /// - Parameters:
  ///   - maxTasks: How many closures run at a time at most; at least one. A result that has not been delivered counts as
  ///     one that runs.
  ///   - transform: Makes a result of an element, in a task of its own.
  @inlinable
  public func task<Output: Sendable>(
    maxTasks: Int = .max, _ transform: @escaping @Sendable (Element) async throws(Failure) -> Output
  ) -> AsyncConcurrentFlatMapSequence<Self, AsyncCallSequence<Output, Failure>>
  where Element: Sendable {
    AsyncConcurrentFlatMapSequence(
      self, maxTasks: maxTasks,
      { element in AsyncCallSequence { () async throws(Failure) in try await transform(element) } })
  }

  /// Runs an async closure for each element, several at a time, and delivers each result when its closure returns.
  ///
  /// The base cannot fail, so it fails with what the closure throws. Otherwise, it is the same as the overload whose
  /// closure throws the base's failure.
  ///
  /// - Parameters:
  ///   - maxTasks: How many closures run at a time at most; at least one. A result that has not been delivered counts as
  ///     one that runs.
  ///   - transform: Makes a result of an element, in a task of its own.
  @_disfavoredOverload
  @inlinable
  public func task<Output: Sendable, ClosureFailure: Error>(
    maxTasks: Int = .max, _ transform: @escaping @Sendable (Element) async throws(ClosureFailure) -> Output
  ) -> AsyncConcurrentFlatMapSequence<
    AsyncWidenedFailureSequence<Self, ClosureFailure>, AsyncCallSequence<Output, ClosureFailure>
  >
  where Element: Sendable, Failure == Never {
    AsyncConcurrentFlatMapSequence(
      AsyncWidenedFailureSequence(self), maxTasks: maxTasks,
      { element in AsyncCallSequence { () async throws(ClosureFailure) in try await transform(element) } })
  }

  /// Runs an async closure for each element, several at a time, and delivers each result when its closure returns.
  ///
  /// It fails when the base does, or with what the closure throws. Otherwise, it is the same as the overload whose
  /// closure throws the base's failure.
  ///
  /// - Parameters:
  ///   - maxTasks: How many closures run at a time at most; at least one. A result that has not been delivered counts as
  ///     one that runs.
  ///   - transform: Makes a result of an element, in a task of its own.
  @_disfavoredOverload
  @inlinable
  public func task<Output: Sendable>(
    maxTasks: Int = .max, _ transform: @escaping @Sendable (Element) async throws -> Output
  ) -> AsyncConcurrentFlatMapSequence<
    AsyncWidenedFailureSequence<Self, any Error>, AsyncCallSequence<Output, any Error>
  >
  where Element: Sendable {
    AsyncConcurrentFlatMapSequence(
      AsyncWidenedFailureSequence(self), maxTasks: maxTasks,
      { element in AsyncCallSequence { () async throws in try await transform(element) } })
  }
}
