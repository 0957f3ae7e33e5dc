// The failure type of the result is chosen here, since Swift cannot compute it of two: an input that cannot fail does not
// count, and different types give `any Error`. The result has that of its first base, which is wrapped where it has
// another one. All but the first function are disfavored, and so a more special one is chosen among the others.

/// Iterates the fastest of two asynchronous sequences whose failures are of one type.
///
/// See ``AsyncRace2Sequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncRace2Sequence<Base1, Base2>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable,
  Base1.Failure == Base2.Failure
{
  AsyncRace2Sequence(base1, base2)
}

/// Iterates the fastest of two asynchronous sequences of which the second cannot fail.
///
/// See ``AsyncRace2Sequence``.
@_disfavoredOverload
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncRace2Sequence<Base1, Base2>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable, Base2.Failure == Never
{
  AsyncRace2Sequence(base1, base2)
}

/// Iterates the fastest of two asynchronous sequences of which the first cannot fail.
///
/// See ``AsyncRace2Sequence``.
@_disfavoredOverload
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncRace2Sequence<AsyncWidenedFailureSequence<Base1, Base2.Failure>, Base2>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable, Base1.Failure == Never
{
  AsyncRace2Sequence(AsyncWidenedFailureSequence(base1), base2)
}

/// Iterates the fastest of two asynchronous sequences whose failures are of different types.
///
/// See ``AsyncRace2Sequence``.
@_disfavoredOverload
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncRace2Sequence<AsyncWidenedFailureSequence<Base1, any Error>, Base2>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable
{
  AsyncRace2Sequence(AsyncWidenedFailureSequence(base1), base2)
}
