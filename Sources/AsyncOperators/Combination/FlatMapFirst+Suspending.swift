// A closure that may suspend runs in the task of the sequence that it makes, so that it is cancelled with that, and does
// not keep the base waiting.

extension AsyncSequence where Self: Sendable {
  /// Delivers the elements of a sequence that a closure makes of an element, and drops elements until that has ended.
  ///
  /// Elements are dropped while the closure runs, too. See ``AsyncFlatMapFirstSequence``.
  ///
  /// - Parameter transform: Makes a sequence of an element, in the task that iterates the sequence.
  @inlinable
  public func flatMapFirst<Inner: AsyncSequence & SendableMetatype>(
    _ transform: @escaping @Sendable (Element) async -> Inner
  ) -> AsyncFlatMapFirstSequence<Self, AsyncDeferredSequence<Inner>>
  where Element: Sendable, Inner.Element: Sendable, Inner.Failure == Failure {
    AsyncFlatMapFirstSequence(self, { element in AsyncDeferredSequence { await transform(element) } })
  }

  /// Delivers the elements of a sequence that a closure makes of an element, and drops elements until that has ended.
  ///
  /// The closure's sequences cannot fail, so the failure type is the base's.
  ///
  /// - Parameter transform: Makes a sequence of an element, in the task that iterates the sequence.
  @_disfavoredOverload
  @inlinable
  public func flatMapFirst<Inner: AsyncSequence & SendableMetatype>(
    _ transform: @escaping @Sendable (Element) async -> Inner
  ) -> AsyncFlatMapFirstSequence<Self, AsyncDeferredSequence<Inner>>
  where Element: Sendable, Inner.Element: Sendable, Inner.Failure == Never {
    AsyncFlatMapFirstSequence(self, { element in AsyncDeferredSequence { await transform(element) } })
  }

  /// Delivers the elements of a sequence that a closure makes of an element, and drops elements until that has ended.
  ///
  /// The base cannot fail, so the failure type is that of the closure's sequences.
  ///
  /// - Parameter transform: Makes a sequence of an element, in the task that iterates the sequence.
  @_disfavoredOverload
  @inlinable
  public func flatMapFirst<Inner: AsyncSequence & SendableMetatype>(
    _ transform: @escaping @Sendable (Element) async -> Inner
  ) -> AsyncFlatMapFirstSequence<AsyncWidenedFailureSequence<Self, Inner.Failure>, AsyncDeferredSequence<Inner>>
  where Element: Sendable, Inner.Element: Sendable, Failure == Never {
    AsyncFlatMapFirstSequence(
      AsyncWidenedFailureSequence(self), { element in AsyncDeferredSequence { await transform(element) } })
  }

  /// Delivers the elements of a sequence that a closure makes of an element, and drops elements until that has ended.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  ///
  /// - Parameter transform: Makes a sequence of an element, in the task that iterates the sequence.
  @_disfavoredOverload
  @inlinable
  public func flatMapFirst<Inner: AsyncSequence & SendableMetatype>(
    _ transform: @escaping @Sendable (Element) async -> Inner
  ) -> AsyncFlatMapFirstSequence<AsyncWidenedFailureSequence<Self, any Error>, AsyncDeferredSequence<Inner>>
  where Element: Sendable, Inner.Element: Sendable {
    AsyncFlatMapFirstSequence(
      AsyncWidenedFailureSequence(self), { element in AsyncDeferredSequence { await transform(element) } })
  }
}
