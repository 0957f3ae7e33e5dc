// The failure type of the result is chosen here: an input that cannot fail does not count, and different types give
// `any Error`. The type itself has that of its first base, since Swift has no way to compute one of several.

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

/// Iterates the fastest of two asynchronous sequences that cannot fail.
///
/// See ``AsyncRace2Sequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncRace2Sequence<Base1, Base2>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable, Base1.Failure == Never,
  Base2.Failure == Never
{
  AsyncRace2Sequence(base1, base2)
}

/// Iterates the fastest of two asynchronous sequences of which the second cannot fail.
///
/// See ``AsyncRace2Sequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncRace2Sequence<Base1, AsyncWidenedFailureSequence<Base2, Base1.Failure>>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable, Base2.Failure == Never
{
  AsyncRace2Sequence(base1, AsyncWidenedFailureSequence(base2))
}

/// Iterates the fastest of two asynchronous sequences of which the first cannot fail.
///
/// See ``AsyncRace2Sequence``.
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
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncRace2Sequence<AsyncWidenedFailureSequence<Base1, any Error>, AsyncWidenedFailureSequence<Base2, any Error>>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable
{
  AsyncRace2Sequence(AsyncWidenedFailureSequence(base1), AsyncWidenedFailureSequence(base2))
}

/// Iterates the fastest of two asynchronous sequences of which only the first can fail.
///
/// Chosen where the type of the result is stated with these bases.
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
