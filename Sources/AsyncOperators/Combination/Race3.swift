// The failure type of the result is chosen here, since Swift cannot compute it of several: different types give
// `any Error`. The result has that of its first base, which is wrapped where it has another one.

/// Iterates the fastest of three asynchronous sequences whose failures are of one type.
///
/// See ``AsyncRace3Sequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRace3Sequence<Base1, Base2, Base3>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable, Base3: Sendable,
  Base1.Element: Sendable, Base1.Failure == Base2.Failure, Base1.Failure == Base3.Failure
{
  AsyncRace3Sequence(base1, base2, base3)
}

/// Iterates the fastest of three asynchronous sequences whose failures are of different types.
///
/// The failure type is `any Error`, also if some cannot fail: `setFailureType(to:)` gives these the type of the others.
///
/// See ``AsyncRace3Sequence``.
@_disfavoredOverload
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRace3Sequence<AsyncWidenedFailureSequence<Base1, any Error>, Base2, Base3>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable, Base3: Sendable,
  Base1.Element: Sendable
{
  AsyncRace3Sequence(AsyncWidenedFailureSequence(base1), base2, base3)
}
