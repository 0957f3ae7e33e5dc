import InterflowPrimitives

// The failure type of the result is chosen here, since Swift cannot compute it of several: of two inputs, one that cannot
// fail does not count, and different types give `any Error`. Where several functions fit, the one that is not
// disfavored is chosen, otherwise the most specialized.

/// Iterates the fastest of two asynchronous sequences whose failures are of one type.
///
/// See ``AsyncRaceSequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncRaceSequence<Base1.Element, Base1.Failure>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable,
  Base1.Failure == Base2.Failure
{
  AsyncRaceSequence { [FanInInput(base1), FanInInput(base2)] }
}

/// Iterates the fastest of two asynchronous sequences of which the second cannot fail.
///
/// See ``AsyncRaceSequence``.
@_disfavoredOverload
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncRaceSequence<Base1.Element, Base1.Failure>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable, Base2.Failure == Never
{
  AsyncRaceSequence { [FanInInput(base1), FanInInput(base2)] }
}

/// Iterates the fastest of two asynchronous sequences of which the first cannot fail.
///
/// See ``AsyncRaceSequence``.
@_disfavoredOverload
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncRaceSequence<Base1.Element, Base2.Failure>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable, Base1.Failure == Never
{
  AsyncRaceSequence { [FanInInput(base1), FanInInput(base2)] }
}

/// Iterates the fastest of two asynchronous sequences whose failures are of different types.
///
/// See ``AsyncRaceSequence``.
@_disfavoredOverload
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncRaceSequence<Base1.Element, any Error>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable
{
  AsyncRaceSequence { [FanInInput(base1), FanInInput(base2)] }
}

/// Iterates the fastest of three asynchronous sequences whose failures are of one type.
///
/// See ``AsyncRaceSequence``.
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRaceSequence<Base1.Element, Base1.Failure>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable, Base3: Sendable,
  Base1.Element: Sendable, Base1.Failure == Base2.Failure, Base1.Failure == Base3.Failure
{
  AsyncRaceSequence { [FanInInput(base1), FanInInput(base2), FanInInput(base3)] }
}

/// Iterates the fastest of three asynchronous sequences whose failures are of different types.
///
/// The failure type is `any Error`, also if some cannot fail: `setFailureType(to:)` gives these the type of the others.
///
/// See ``AsyncRaceSequence``.
@_disfavoredOverload
@inlinable
public func race<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncRaceSequence<Base1.Element, any Error>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable, Base3: Sendable,
  Base1.Element: Sendable
{
  AsyncRaceSequence { [FanInInput(base1), FanInInput(base2), FanInInput(base3)] }
}

/// Iterates the fastest of any number of asynchronous sequences of one type; without any, the result ends at once.
///
/// See ``AsyncRaceSequence``.
@inlinable
public func race<Bases: Collection>(
  _ bases: Bases
) -> AsyncRaceSequence<Bases.Element.Element, Bases.Element.Failure>
where Bases.Element: AsyncSequence & Sendable, Bases.Element.Element: Sendable {
  let bases = Array(bases)
  return AsyncRaceSequence { ContiguousArray(bases.map { FanInInput($0) }) }
}
