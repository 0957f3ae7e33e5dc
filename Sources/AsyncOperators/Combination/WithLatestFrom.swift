// The failure type of the result is chosen here: an input that cannot fail does not count, and different types give
// `any Error`. The type itself has that of its base, since Swift has no way to compute one of several.

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Delivers each element with the latest one of another sequence.
  ///
  /// See ``AsyncWithLatestFromSequence``.
  ///
  /// - Parameter other: The sequence whose latest element is delivered.
  @inlinable
  public func withLatestFrom<Other: AsyncSequence & Sendable>(
    _ other: Other
  ) -> AsyncWithLatestFromSequence<Self, Other, (Element, Other.Element)>
  where Other.Element: Sendable, Other.Failure == Failure {
    AsyncWithLatestFromSequence(self, other) { ($0, $1) }
  }

  /// Delivers each element with the latest one of another sequence.
  ///
  /// The other cannot fail, so the failure type is the base's.
  ///
  /// - Parameter other: The sequence whose latest element is delivered.
  @_disfavoredOverload
  @inlinable
  public func withLatestFrom<Other: AsyncSequence & Sendable>(
    _ other: Other
  ) -> AsyncWithLatestFromSequence<Self, Other, (Element, Other.Element)>
  where Other.Element: Sendable, Other.Failure == Never {
    AsyncWithLatestFromSequence(self, other) { ($0, $1) }
  }

  /// Delivers each element with the latest one of another sequence.
  ///
  /// The base cannot fail, so the failure type is the other's.
  ///
  /// - Parameter other: The sequence whose latest element is delivered.
  @_disfavoredOverload
  @inlinable
  public func withLatestFrom<Other: AsyncSequence & Sendable>(
    _ other: Other
  ) -> AsyncWithLatestFromSequence<AsyncWidenedFailureSequence<Self, Other.Failure>, Other, (Element, Other.Element)>
  where Other.Element: Sendable, Failure == Never {
    AsyncWithLatestFromSequence(AsyncWidenedFailureSequence(self), other) { ($0, $1) }
  }

  /// Delivers each element with the latest one of another sequence.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  ///
  /// - Parameter other: The sequence whose latest element is delivered.
  @_disfavoredOverload
  @inlinable
  public func withLatestFrom<Other: AsyncSequence & Sendable>(
    _ other: Other
  ) -> AsyncWithLatestFromSequence<AsyncWidenedFailureSequence<Self, any Error>, Other, (Element, Other.Element)>
  where Other.Element: Sendable {
    AsyncWithLatestFromSequence(AsyncWidenedFailureSequence(self), other) { ($0, $1) }
  }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Makes an element of each element and the latest one of another sequence.
  ///
  /// See ``AsyncWithLatestFromSequence``.
  ///
  /// - Parameters:
  ///   - other: The sequence whose latest element is used.
  ///   - transform: Makes the element.
  @inlinable
  public func withLatestFrom<Other: AsyncSequence & Sendable, Result>(
    _ other: Other, _ transform: @escaping @Sendable (Element, Other.Element) -> Result
  ) -> AsyncWithLatestFromSequence<Self, Other, Result> where Other.Element: Sendable, Other.Failure == Failure {
    AsyncWithLatestFromSequence(self, other, transform)
  }

  /// Makes an element of each element and the latest one of another sequence.
  ///
  /// The other cannot fail, so the failure type is the base's.
  ///
  /// - Parameters:
  ///   - other: The sequence whose latest element is used.
  ///   - transform: Makes the element.
  @_disfavoredOverload
  @inlinable
  public func withLatestFrom<Other: AsyncSequence & Sendable, Result>(
    _ other: Other, _ transform: @escaping @Sendable (Element, Other.Element) -> Result
  ) -> AsyncWithLatestFromSequence<Self, Other, Result> where Other.Element: Sendable, Other.Failure == Never {
    AsyncWithLatestFromSequence(self, other, transform)
  }

  /// Makes an element of each element and the latest one of another sequence.
  ///
  /// The base cannot fail, so the failure type is the other's.
  ///
  /// - Parameters:
  ///   - other: The sequence whose latest element is used.
  ///   - transform: Makes the element.
  @_disfavoredOverload
  @inlinable
  public func withLatestFrom<Other: AsyncSequence & Sendable, Result>(
    _ other: Other, _ transform: @escaping @Sendable (Element, Other.Element) -> Result
  ) -> AsyncWithLatestFromSequence<AsyncWidenedFailureSequence<Self, Other.Failure>, Other, Result>
  where Other.Element: Sendable, Failure == Never {
    AsyncWithLatestFromSequence(AsyncWidenedFailureSequence(self), other, transform)
  }

  /// Makes an element of each element and the latest one of another sequence.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  ///
  /// - Parameters:
  ///   - other: The sequence whose latest element is used.
  ///   - transform: Makes the element.
  @_disfavoredOverload
  @inlinable
  public func withLatestFrom<Other: AsyncSequence & Sendable, Result>(
    _ other: Other, _ transform: @escaping @Sendable (Element, Other.Element) -> Result
  ) -> AsyncWithLatestFromSequence<AsyncWidenedFailureSequence<Self, any Error>, Other, Result>
  where Other.Element: Sendable {
    AsyncWithLatestFromSequence(AsyncWidenedFailureSequence(self), other, transform)
  }
}
