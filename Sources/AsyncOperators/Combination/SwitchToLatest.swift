// The failure type of the result is chosen here: an input that cannot fail does not count, and different types give
// `any Error`. The type itself has that of its base, since Swift has no way to compute one of several.

extension AsyncSequence where Self: Sendable, Element: AsyncSequence & Sendable, Element.Element: Sendable {
  /// Delivers the elements of the latest element, which is a sequence itself.
  ///
  /// See ``AsyncFlatMapLatestSequence``.
  @inlinable
  public func switchToLatest() -> AsyncFlatMapLatestSequence<Self, Element> where Element.Failure == Failure {
    AsyncFlatMapLatestSequence(self) { $0 }
  }

  /// Delivers the elements of the latest element, which is a sequence itself.
  ///
  /// The elements cannot fail, so the failure type is that of this sequence.
  @_disfavoredOverload
  @inlinable
  public func switchToLatest() -> AsyncFlatMapLatestSequence<Self, Element> where Element.Failure == Never {
    AsyncFlatMapLatestSequence(self) { $0 }
  }

  /// Delivers the elements of the latest element, which is a sequence itself.
  ///
  /// This sequence cannot fail, so the failure type is that of its elements.
  @_disfavoredOverload
  @inlinable
  public func switchToLatest() -> AsyncFlatMapLatestSequence<
    AsyncWidenedFailureSequence<Self, Element.Failure>, Element
  > where Failure == Never {
    AsyncFlatMapLatestSequence(AsyncWidenedFailureSequence(self)) { $0 }
  }

  /// Delivers the elements of the latest element, which is a sequence itself.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  @_disfavoredOverload
  @inlinable
  public func switchToLatest() -> AsyncFlatMapLatestSequence<AsyncWidenedFailureSequence<Self, any Error>, Element> {
    AsyncFlatMapLatestSequence(AsyncWidenedFailureSequence(self)) { $0 }
  }
}
