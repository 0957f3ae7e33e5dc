// The failure type of the result is chosen here: an input that cannot fail does not count, and different types give
// `any Error`. The type itself has that of its base, since Swift has no way to compute one of several.

extension AsyncSequence where Self: Sendable {
  /// Delivers the elements of the sequence that a closure makes of the latest element.
  ///
  /// See ``AsyncFlatMapLatestSequence``.
  ///
  /// - Parameter transform: Makes a sequence of an element.
  @inlinable
  public func flatMapLatest<Inner: AsyncSequence & Sendable>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> AsyncFlatMapLatestSequence<Self, Inner> where Inner.Element: Sendable, Inner.Failure == Failure {
    AsyncFlatMapLatestSequence(self, transform)
  }

  /// Delivers the elements of the sequence that a closure makes of the latest element.
  ///
  /// The closure's sequences cannot fail, so the failure type is the base's.
  ///
  /// - Parameter transform: Makes a sequence of an element.
  @_disfavoredOverload
  @inlinable
  public func flatMapLatest<Inner: AsyncSequence & Sendable>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> AsyncFlatMapLatestSequence<Self, Inner> where Inner.Element: Sendable, Inner.Failure == Never {
    AsyncFlatMapLatestSequence(self, transform)
  }

  /// Delivers the elements of the sequence that a closure makes of the latest element.
  ///
  /// The base cannot fail, so the failure type is that of the closure's sequences.
  ///
  /// - Parameter transform: Makes a sequence of an element.
  @_disfavoredOverload
  @inlinable
  public func flatMapLatest<Inner: AsyncSequence & Sendable>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> AsyncFlatMapLatestSequence<AsyncWidenedFailureSequence<Self, Inner.Failure>, Inner>
  where Inner.Element: Sendable, Failure == Never {
    AsyncFlatMapLatestSequence(AsyncWidenedFailureSequence(self), transform)
  }

  /// Delivers the elements of the sequence that a closure makes of the latest element.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  ///
  /// - Parameter transform: Makes a sequence of an element.
  @_disfavoredOverload
  @inlinable
  public func flatMapLatest<Inner: AsyncSequence & Sendable>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> AsyncFlatMapLatestSequence<AsyncWidenedFailureSequence<Self, any Error>, Inner> where Inner.Element: Sendable {
    AsyncFlatMapLatestSequence(AsyncWidenedFailureSequence(self), transform)
  }
}
