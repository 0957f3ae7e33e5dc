// A closure that may suspend runs in the task of the sequence that it makes, so that it is cancelled with that, and does
// not keep the base waiting.

extension AsyncSequence where Self: Sendable {
  /// Delivers the elements of the sequence that a closure makes of the latest element.
  ///
  /// A newer element cancels the closure, too, and its sequence is not iterated then. See ``AsyncFlatMapLatestSequence``.
  ///
  /// - Parameter transform: Makes a sequence of an element, in the task that iterates the sequence.
  @inlinable
  public func flatMapLatest<Inner: AsyncSequence & SendableMetatype>(
    _ transform: @escaping @Sendable (Element) async -> Inner
  ) -> AsyncFlatMapLatestSequence<Self, AsyncDeferredSequence<Inner>>
  where Element: Sendable, Inner.Element: Sendable, Inner.Failure == Failure {
    AsyncFlatMapLatestSequence(self, { element in AsyncDeferredSequence { await transform(element) } })
  }

  /// Delivers the elements of the sequence that a closure makes of the latest element.
  ///
  /// The closure's sequences cannot fail, so the failure type is the base's.
  ///
  /// - Parameter transform: Makes a sequence of an element, in the task that iterates the sequence.
  @_disfavoredOverload
  @inlinable
  public func flatMapLatest<Inner: AsyncSequence & SendableMetatype>(
    _ transform: @escaping @Sendable (Element) async -> Inner
  ) -> AsyncFlatMapLatestSequence<Self, AsyncDeferredSequence<Inner>>
  where Element: Sendable, Inner.Element: Sendable, Inner.Failure == Never {
    AsyncFlatMapLatestSequence(self, { element in AsyncDeferredSequence { await transform(element) } })
  }

  /// Delivers the elements of the sequence that a closure makes of the latest element.
  ///
  /// The base cannot fail, so the failure type is that of the closure's sequences.
  ///
  /// - Parameter transform: Makes a sequence of an element, in the task that iterates the sequence.
  @_disfavoredOverload
  @inlinable
  public func flatMapLatest<Inner: AsyncSequence & SendableMetatype>(
    _ transform: @escaping @Sendable (Element) async -> Inner
  ) -> AsyncFlatMapLatestSequence<AsyncWidenedFailureSequence<Self, Inner.Failure>, AsyncDeferredSequence<Inner>>
  where Element: Sendable, Inner.Element: Sendable, Failure == Never {
    AsyncFlatMapLatestSequence(
      AsyncWidenedFailureSequence(self), { element in AsyncDeferredSequence { await transform(element) } })
  }

  /// Delivers the elements of the sequence that a closure makes of the latest element.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  ///
  /// - Parameter transform: Makes a sequence of an element, in the task that iterates the sequence.
  @_disfavoredOverload
  @inlinable
  public func flatMapLatest<Inner: AsyncSequence & SendableMetatype>(
    _ transform: @escaping @Sendable (Element) async -> Inner
  ) -> AsyncFlatMapLatestSequence<AsyncWidenedFailureSequence<Self, any Error>, AsyncDeferredSequence<Inner>>
  where Element: Sendable, Inner.Element: Sendable {
    AsyncFlatMapLatestSequence(
      AsyncWidenedFailureSequence(self), { element in AsyncDeferredSequence { await transform(element) } })
  }
}
