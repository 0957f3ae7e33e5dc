// The failure type of the result is chosen here: an input that cannot fail does not count, and different types give
// `any Error`. The type itself has that of its base, since Swift has no way to compute one of several.

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Drops elements until another sequence delivers one.
  ///
  /// See ``AsyncDropUntilOutputSequence``.
  ///
  /// - Parameter other: The sequence after whose first element elements are delivered.
  @inlinable
  public func drop<Other: AsyncSequence & Sendable>(
    untilOutputFrom other: Other
  ) -> AsyncDropUntilOutputSequence<Self, Other> where Other.Failure == Failure {
    AsyncDropUntilOutputSequence(self, other)
  }

  /// Drops elements until another sequence delivers one.
  ///
  /// The other cannot fail, so the failure type is the base's.
  ///
  /// - Parameter other: The sequence after whose first element elements are delivered.
  @_disfavoredOverload
  @inlinable
  public func drop<Other: AsyncSequence & Sendable>(
    untilOutputFrom other: Other
  ) -> AsyncDropUntilOutputSequence<Self, Other> where Other.Failure == Never {
    AsyncDropUntilOutputSequence(self, other)
  }

  /// Drops elements until another sequence delivers one.
  ///
  /// The base cannot fail, so the failure type is the other's.
  ///
  /// - Parameter other: The sequence after whose first element elements are delivered.
  @_disfavoredOverload
  @inlinable
  public func drop<Other: AsyncSequence & Sendable>(
    untilOutputFrom other: Other
  ) -> AsyncDropUntilOutputSequence<AsyncWidenedFailureSequence<Self, Other.Failure>, Other> where Failure == Never {
    AsyncDropUntilOutputSequence(AsyncWidenedFailureSequence(self), other)
  }

  /// Drops elements until another sequence delivers one.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  ///
  /// - Parameter other: The sequence after whose first element elements are delivered.
  @_disfavoredOverload
  @inlinable
  public func drop<Other: AsyncSequence & Sendable>(
    untilOutputFrom other: Other
  ) -> AsyncDropUntilOutputSequence<AsyncWidenedFailureSequence<Self, any Error>, Other> {
    AsyncDropUntilOutputSequence(AsyncWidenedFailureSequence(self), other)
  }
}
