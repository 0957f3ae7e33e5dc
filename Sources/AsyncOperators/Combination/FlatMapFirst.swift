// The failure type of the result is chosen here: an input that cannot fail does not count, and different types give
// `any Error`. The type itself has that of its base, since Swift has no way to compute one of several.

extension AsyncSequence where Self: Sendable {
  /// Delivers the elements of a sequence that a closure makes of an element, and drops elements until that has ended.
  ///
  /// See ``AsyncFlatMapFirstSequence``.
  ///
  /// - Parameter transform: Makes a sequence of an element.
  @inlinable
  public func flatMapFirst<Inner: AsyncSequence & Sendable>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> AsyncFlatMapFirstSequence<Self, Inner> where Inner.Element: Sendable, Inner.Failure == Failure {
    AsyncFlatMapFirstSequence(self, transform)
  }

  /// Delivers the elements of a sequence that a closure makes of an element, and drops elements until that has ended.
  ///
  /// The closure's sequences cannot fail, so the failure type is the base's.
  ///
  /// - Parameter transform: Makes a sequence of an element.
  @_disfavoredOverload
  @inlinable
  public func flatMapFirst<Inner: AsyncSequence & Sendable>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> AsyncFlatMapFirstSequence<Self, Inner> where Inner.Element: Sendable, Inner.Failure == Never {
    AsyncFlatMapFirstSequence(self, transform)
  }

  /// Delivers the elements of a sequence that a closure makes of an element, and drops elements until that has ended.
  ///
  /// The base cannot fail, so the failure type is that of the closure's sequences.
  ///
  /// - Parameter transform: Makes a sequence of an element.
  @_disfavoredOverload
  @inlinable
  public func flatMapFirst<Inner: AsyncSequence & Sendable>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> AsyncFlatMapFirstSequence<AsyncWidenedFailureSequence<Self, Inner.Failure>, Inner>
  where Inner.Element: Sendable, Failure == Never {
    AsyncFlatMapFirstSequence(AsyncWidenedFailureSequence(self), transform)
  }

  /// Delivers the elements of a sequence that a closure makes of an element, and drops elements until that has ended.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  ///
  /// - Parameter transform: Makes a sequence of an element.
  @_disfavoredOverload
  @inlinable
  public func flatMapFirst<Inner: AsyncSequence & Sendable>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> AsyncFlatMapFirstSequence<AsyncWidenedFailureSequence<Self, any Error>, Inner> where Inner.Element: Sendable {
    AsyncFlatMapFirstSequence(AsyncWidenedFailureSequence(self), transform)
  }
}
