// The failure type of the result is chosen here, since Swift cannot compute it of several: different types give
// `any Error`. The result has that of its first base, which is wrapped where it has another one.

/// Merges three asynchronous sequences whose failures are of one type: their elements, as they arrive.
///
/// See ``AsyncMerge3Sequence``.
@inlinable
public func merge<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncMerge3Sequence<Base1, Base2, Base3>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable, Base3: Sendable,
  Base1.Element: Sendable, Base1.Failure == Base2.Failure, Base1.Failure == Base3.Failure
{
  AsyncMerge3Sequence(base1, base2, base3)
}

/// Merges three asynchronous sequences whose failures are of different types: their elements, as they arrive.
///
/// The failure type is `any Error`, also if some cannot fail: `setFailureType(to:)` gives these the type of the others.
///
/// See ``AsyncMerge3Sequence``.
@_disfavoredOverload
@inlinable
public func merge<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncMerge3Sequence<AsyncWidenedFailureSequence<Base1, any Error>, Base2, Base3>
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable, Base3: Sendable,
  Base1.Element: Sendable
{
  AsyncMerge3Sequence(AsyncWidenedFailureSequence(base1), base2, base3)
}

/// Merges three asynchronous sequences where the type of the result is stated: their elements, as they arrive.
///
/// See ``AsyncMerge3Sequence``, whose failure type is that of its first base.
@_disfavoredOverload
@inlinable
public func merge<Base1, Base2, Base3, Stated: _StatedSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> Stated
where Stated._Inputs == (Base1, Base2, Base3), Stated._Operator == _StatedOperator.Merge {
  Stated(_inputs: (base1, base2, base3))
}
