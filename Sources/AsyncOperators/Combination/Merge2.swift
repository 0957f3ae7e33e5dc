// The failure type of the result is chosen here: an input that cannot fail does not count, and different types give
// `any Error`. The type itself has that of its first base, since Swift has no way to compute one of several.

/// Merges two asynchronous sequences whose failures are of one type: their elements, as they arrive.
///
/// See ``AsyncMerge2Sequence``.
@inlinable
public func merge<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncMerge2Sequence<Base1, Base2>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable,
  Base1.Failure == Base2.Failure
{
  AsyncMerge2Sequence(base1, base2)
}

/// Merges two asynchronous sequences that cannot fail: their elements, as they arrive.
///
/// See ``AsyncMerge2Sequence``.
@inlinable
public func merge<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncMerge2Sequence<Base1, Base2>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable, Base1.Failure == Never,
  Base2.Failure == Never
{
  AsyncMerge2Sequence(base1, base2)
}

/// Merges two asynchronous sequences of which the second cannot fail: their elements, as they arrive.
///
/// See ``AsyncMerge2Sequence``.
@inlinable
public func merge<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncMerge2Sequence<Base1, AsyncWidenedFailureSequence<Base2, Base1.Failure>>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable, Base2.Failure == Never
{
  AsyncMerge2Sequence(base1, AsyncWidenedFailureSequence(base2))
}

/// Merges two asynchronous sequences of which the first cannot fail: their elements, as they arrive.
///
/// See ``AsyncMerge2Sequence``.
@inlinable
public func merge<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncMerge2Sequence<AsyncWidenedFailureSequence<Base1, Base2.Failure>, Base2>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable, Base1.Failure == Never
{
  AsyncMerge2Sequence(AsyncWidenedFailureSequence(base1), base2)
}

/// Merges two asynchronous sequences whose failures are of different types: their elements, as they arrive.
///
/// See ``AsyncMerge2Sequence``.
@inlinable
public func merge<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncMerge2Sequence<AsyncWidenedFailureSequence<Base1, any Error>, AsyncWidenedFailureSequence<Base2, any Error>>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable
{
  AsyncMerge2Sequence(AsyncWidenedFailureSequence(base1), AsyncWidenedFailureSequence(base2))
}

/// Merges two asynchronous sequences of which only the first can fail: their elements, as they arrive.
///
/// Chosen where the type of the result is stated with these bases.
@_disfavoredOverload
@inlinable
public func merge<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncMerge2Sequence<Base1, Base2>
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable, Base2.Failure == Never
{
  AsyncMerge2Sequence(base1, base2)
}
