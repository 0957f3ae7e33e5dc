// The failure type of the result is chosen here: an input that cannot fail does not count, and different types give
// `any Error`. The type itself has that of its first base, since Swift has no way to compute one of several.

/// Iterates the fastest of three asynchronous sequences whose failures are of one type.
///
/// See ``AsyncRace3Sequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRace3Sequence<Base1, Base2, Base3>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable,
  Base3:
    Sendable, Base1.Element: Sendable, Base1.Failure == Base2.Failure, Base1.Failure == Base3.Failure
{
  AsyncRace3Sequence(base1, base2, base3)
}

/// Iterates the fastest of three asynchronous sequences that cannot fail.
///
/// See ``AsyncRace3Sequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRace3Sequence<Base1, Base2, Base3>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable,
  Base3:
    Sendable, Base1.Element: Sendable, Base1.Failure == Never, Base2.Failure == Never, Base3.Failure == Never
{
  AsyncRace3Sequence(base1, base2, base3)
}

/// Iterates the fastest of three asynchronous sequences of which the third cannot fail.
///
/// See ``AsyncRace3Sequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRace3Sequence<Base1, Base2, AsyncWidenedFailureSequence<Base3, Base1.Failure>>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable,
  Base3:
    Sendable, Base1.Element: Sendable, Base1.Failure == Base2.Failure, Base3.Failure == Never
{
  AsyncRace3Sequence(base1, base2, AsyncWidenedFailureSequence(base3))
}

/// Iterates the fastest of three asynchronous sequences of which the second cannot fail.
///
/// See ``AsyncRace3Sequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRace3Sequence<Base1, AsyncWidenedFailureSequence<Base2, Base1.Failure>, Base3>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable,
  Base3:
    Sendable, Base1.Element: Sendable, Base1.Failure == Base3.Failure, Base2.Failure == Never
{
  AsyncRace3Sequence(base1, AsyncWidenedFailureSequence(base2), base3)
}

/// Iterates the fastest of three asynchronous sequences of which the second and the third cannot fail.
///
/// See ``AsyncRace3Sequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRace3Sequence<
  Base1, AsyncWidenedFailureSequence<Base2, Base1.Failure>, AsyncWidenedFailureSequence<Base3, Base1.Failure>
>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable,
  Base3:
    Sendable, Base1.Element: Sendable, Base2.Failure == Never, Base3.Failure == Never
{
  AsyncRace3Sequence(base1, AsyncWidenedFailureSequence(base2), AsyncWidenedFailureSequence(base3))
}

/// Iterates the fastest of three asynchronous sequences of which the first cannot fail.
///
/// See ``AsyncRace3Sequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRace3Sequence<AsyncWidenedFailureSequence<Base1, Base2.Failure>, Base2, Base3>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable,
  Base3:
    Sendable, Base1.Element: Sendable, Base2.Failure == Base3.Failure, Base1.Failure == Never
{
  AsyncRace3Sequence(AsyncWidenedFailureSequence(base1), base2, base3)
}

/// Iterates the fastest of three asynchronous sequences of which the first and the third cannot fail.
///
/// See ``AsyncRace3Sequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRace3Sequence<
  AsyncWidenedFailureSequence<Base1, Base2.Failure>, Base2, AsyncWidenedFailureSequence<Base3, Base2.Failure>
>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable,
  Base3:
    Sendable, Base1.Element: Sendable, Base1.Failure == Never, Base3.Failure == Never
{
  AsyncRace3Sequence(AsyncWidenedFailureSequence(base1), base2, AsyncWidenedFailureSequence(base3))
}

/// Iterates the fastest of three asynchronous sequences of which the first and the second cannot fail.
///
/// See ``AsyncRace3Sequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRace3Sequence<
  AsyncWidenedFailureSequence<Base1, Base3.Failure>, AsyncWidenedFailureSequence<Base2, Base3.Failure>, Base3
>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable,
  Base3:
    Sendable, Base1.Element: Sendable, Base1.Failure == Never, Base2.Failure == Never
{
  AsyncRace3Sequence(AsyncWidenedFailureSequence(base1), AsyncWidenedFailureSequence(base2), base3)
}

/// Iterates the fastest of three asynchronous sequences whose failures are of different types.
///
/// See ``AsyncRace3Sequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRace3Sequence<
  AsyncWidenedFailureSequence<Base1, any Error>, AsyncWidenedFailureSequence<Base2, any Error>,
  AsyncWidenedFailureSequence<Base3, any Error>
>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable,
  Base3:
    Sendable, Base1.Element: Sendable
{
  AsyncRace3Sequence(
    AsyncWidenedFailureSequence(base1), AsyncWidenedFailureSequence(base2), AsyncWidenedFailureSequence(base3))
}

/// Iterates the fastest of three asynchronous sequences of which only the first can fail.
///
/// Chosen where the type of the result is stated with these bases.
@_disfavoredOverload
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRace3Sequence<Base1, Base2, Base3>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable,
  Base3:
    Sendable, Base1.Element: Sendable, Base2.Failure == Never, Base3.Failure == Never
{
  AsyncRace3Sequence(base1, base2, base3)
}
