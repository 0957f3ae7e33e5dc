// The failure type of the result is chosen here: an input that cannot fail does not count, and different types give
// `any Error`. The type itself has that of its base, since Swift has no way to compute one of several.

extension AsyncSequence where Self: Sendable {
  /// Merges the sequences that a closure makes of the elements, some at a time.
  ///
  /// See ``AsyncConcurrentFlatMapSequence``.
  ///
  /// - Parameters:
  ///   - maxTasks: How many of the closure's sequences are iterated at a time at most; at least one.
  ///   - transform: Makes a sequence of an element.
  @inlinable
  public func flatMap<Inner: AsyncSequence & Sendable>(
    maxTasks: Int, _ transform: @escaping @Sendable (Element) -> Inner
  ) -> AsyncConcurrentFlatMapSequence<Self, Inner> where Inner.Element: Sendable, Inner.Failure == Failure {
    AsyncConcurrentFlatMapSequence(self, maxTasks: maxTasks, transform)
  }

  /// Merges the sequences that a closure makes of the elements, some at a time.
  ///
  /// The closure's sequences cannot fail, so the failure type is the base's.
  ///
  /// - Parameters:
  ///   - maxTasks: How many of the closure's sequences are iterated at a time at most; at least one.
  ///   - transform: Makes a sequence of an element.
  @_disfavoredOverload
  @inlinable
  public func flatMap<Inner: AsyncSequence & Sendable>(
    maxTasks: Int, _ transform: @escaping @Sendable (Element) -> Inner
  ) -> AsyncConcurrentFlatMapSequence<Self, Inner> where Inner.Element: Sendable, Inner.Failure == Never {
    AsyncConcurrentFlatMapSequence(self, maxTasks: maxTasks, transform)
  }

  /// Merges the sequences that a closure makes of the elements, some at a time.
  ///
  /// The base cannot fail, so the failure type is that of the closure's sequences.
  ///
  /// - Parameters:
  ///   - maxTasks: How many of the closure's sequences are iterated at a time at most; at least one.
  ///   - transform: Makes a sequence of an element.
  @_disfavoredOverload
  @inlinable
  public func flatMap<Inner: AsyncSequence & Sendable>(
    maxTasks: Int, _ transform: @escaping @Sendable (Element) -> Inner
  ) -> AsyncConcurrentFlatMapSequence<AsyncWidenedFailureSequence<Self, Inner.Failure>, Inner>
  where Inner.Element: Sendable, Failure == Never {
    AsyncConcurrentFlatMapSequence(AsyncWidenedFailureSequence(self), maxTasks: maxTasks, transform)
  }

  /// Merges the sequences that a closure makes of the elements, some at a time.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  ///
  /// - Parameters:
  ///   - maxTasks: How many of the closure's sequences are iterated at a time at most; at least one.
  ///   - transform: Makes a sequence of an element.
  @_disfavoredOverload
  @inlinable
  public func flatMap<Inner: AsyncSequence & Sendable>(
    maxTasks: Int, _ transform: @escaping @Sendable (Element) -> Inner
  ) -> AsyncConcurrentFlatMapSequence<AsyncWidenedFailureSequence<Self, any Error>, Inner>
  where Inner.Element: Sendable {
    AsyncConcurrentFlatMapSequence(AsyncWidenedFailureSequence(self), maxTasks: maxTasks, transform)
  }
}
