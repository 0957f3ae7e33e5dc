extension AsyncSequence where Self: Sendable {
  /// Runs an async closure for each element, several at a time, and delivers the results in the order of the elements.
  ///
  /// ```swift
  /// for await size in files.concurrentMap(maxTasks: 4, { file in await size(of: file) }) {
  ///   print(size)  // that of the first file, then that of the second ...
  /// }
  /// ```
  ///
  /// It fails when the base does, or with what the closure throws, which is of the base's failure type. See
  /// ``AsyncConcurrentMapSequence``; `task(maxTasks:_:)` delivers each result when its closure returns.
  ///
  /// - Parameters:
  ///   - maxTasks: How many closures run at a time at most; at least one. A result that has not been delivered counts as
  ///     one that runs.
  ///   - transform: Makes a result of an element, in a task of its own.
  @inlinable
  public func concurrentMap<Output: Sendable>(
    maxTasks: Int, _ transform: @escaping @Sendable (Element) async throws(Failure) -> Output
  ) -> AsyncConcurrentMapSequence<Self, Output, Failure>
  where Element: Sendable {
    AsyncConcurrentMapSequence(self, maxTasks: maxTasks, transform)
  }

  /// Runs an async closure for each element, several at a time, and delivers the results in the order of the elements.
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
  public func concurrentMap<Output: Sendable, ClosureFailure: Error>(
    maxTasks: Int, _ transform: @escaping @Sendable (Element) async throws(ClosureFailure) -> Output
  ) -> AsyncConcurrentMapSequence<Self, Output, ClosureFailure>
  where Element: Sendable, Failure == Never {
    AsyncConcurrentMapSequence(self, maxTasks: maxTasks, transform)
  }

  /// Runs an async closure for each element, several at a time, and delivers the results in the order of the elements.
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
  public func concurrentMap<Output: Sendable>(
    maxTasks: Int, _ transform: @escaping @Sendable (Element) async throws -> Output
  ) -> AsyncConcurrentMapSequence<Self, Output, any Error>
  where Element: Sendable {
    AsyncConcurrentMapSequence(self, maxTasks: maxTasks, transform)
  }
}
