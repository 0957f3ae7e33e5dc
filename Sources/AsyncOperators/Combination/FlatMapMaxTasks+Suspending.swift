// A closure that may suspend runs in the task of the sequence that it makes, so that it is cancelled with that, and does
// not keep the base waiting.

extension AsyncSequence where Self: Sendable {
  /// Merges the sequences that a closure makes of the elements, some at a time.
  ///
  /// The closure is called for as many elements at a time as there are sequences iterated. See ``AsyncConcurrentFlatMapSequence``.
  ///
  /// - Parameters:
  ///   - maxTasks: How many of the closure's sequences are made and iterated at a time at most; at least one.
  ///   - transform: Makes a sequence of an element, in the task that iterates the sequence.
  @inlinable
  public func flatMap<Inner: AsyncSequence & SendableMetatype>(
    maxTasks: Int, _ transform: @escaping @Sendable (Element) async -> Inner
  ) -> AsyncConcurrentFlatMapSequence<Self, AsyncDeferredSequence<Inner>>
  where Element: Sendable, Inner.Element: Sendable, Inner.Failure == Failure {
    AsyncConcurrentFlatMapSequence(
      self, maxTasks: maxTasks, { element in AsyncDeferredSequence { await transform(element) } })
  }

  /// Merges the sequences that a closure makes of the elements, some at a time.
  ///
  /// The closure's sequences cannot fail, so the failure type is the base's.
  ///
  /// - Parameters:
  ///   - maxTasks: How many of the closure's sequences are made and iterated at a time at most; at least one.
  ///   - transform: Makes a sequence of an element, in the task that iterates the sequence.
  @_disfavoredOverload
  @inlinable
  public func flatMap<Inner: AsyncSequence & SendableMetatype>(
    maxTasks: Int, _ transform: @escaping @Sendable (Element) async -> Inner
  ) -> AsyncConcurrentFlatMapSequence<Self, AsyncDeferredSequence<Inner>>
  where Element: Sendable, Inner.Element: Sendable, Inner.Failure == Never {
    AsyncConcurrentFlatMapSequence(
      self, maxTasks: maxTasks, { element in AsyncDeferredSequence { await transform(element) } })
  }

  /// Merges the sequences that a closure makes of the elements, some at a time.
  ///
  /// The base cannot fail, so the failure type is that of the closure's sequences.
  ///
  /// - Parameters:
  ///   - maxTasks: How many of the closure's sequences are made and iterated at a time at most; at least one.
  ///   - transform: Makes a sequence of an element, in the task that iterates the sequence.
  @_disfavoredOverload
  @inlinable
  public func flatMap<Inner: AsyncSequence & SendableMetatype>(
    maxTasks: Int, _ transform: @escaping @Sendable (Element) async -> Inner
  ) -> AsyncConcurrentFlatMapSequence<AsyncWidenedFailureSequence<Self, Inner.Failure>, AsyncDeferredSequence<Inner>>
  where Element: Sendable, Inner.Element: Sendable, Failure == Never {
    AsyncConcurrentFlatMapSequence(
      AsyncWidenedFailureSequence(self), maxTasks: maxTasks,
      { element in AsyncDeferredSequence { await transform(element) } })
  }

  /// Merges the sequences that a closure makes of the elements, some at a time.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  ///
  /// - Parameters:
  ///   - maxTasks: How many of the closure's sequences are made and iterated at a time at most; at least one.
  ///   - transform: Makes a sequence of an element, in the task that iterates the sequence.
  @_disfavoredOverload
  @inlinable
  public func flatMap<Inner: AsyncSequence & SendableMetatype>(
    maxTasks: Int, _ transform: @escaping @Sendable (Element) async -> Inner
  ) -> AsyncConcurrentFlatMapSequence<AsyncWidenedFailureSequence<Self, any Error>, AsyncDeferredSequence<Inner>>
  where Element: Sendable, Inner.Element: Sendable {
    AsyncConcurrentFlatMapSequence(
      AsyncWidenedFailureSequence(self), maxTasks: maxTasks,
      { element in AsyncDeferredSequence { await transform(element) } })
  }
}
