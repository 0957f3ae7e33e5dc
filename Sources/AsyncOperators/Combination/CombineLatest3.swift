// The failure type of the result is chosen here, since Swift cannot compute it of several: different types give
// `any Error`. The result has that of its first base, which is wrapped where it has another one.

/// Joins three asynchronous sequences whose failures are of one type to tuples of the latest elements.
///
/// See ``AsyncCombineLatest3Sequence``.
@inlinable
public func combineLatest<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncCombineLatest3Sequence<Base1, Base2, Base3>
where
  Base1: Sendable, Base1.Element: Sendable, Base2: Sendable, Base2.Element: Sendable, Base3: Sendable,
  Base3.Element: Sendable, Base1.Failure == Base2.Failure, Base1.Failure == Base3.Failure
{
  AsyncCombineLatest3Sequence(base1, base2, base3)
}

/// Joins three asynchronous sequences whose failures are of different types to tuples of the latest elements.
///
/// The failure type is `any Error`, also if some cannot fail: `setFailureType(to:)` gives these the type of the others.
///
/// See ``AsyncCombineLatest3Sequence``.
@_disfavoredOverload
@inlinable
public func combineLatest<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> AsyncCombineLatest3Sequence<AsyncWidenedFailureSequence<Base1, any Error>, Base2, Base3>
where
  Base1: Sendable, Base1.Element: Sendable, Base2: Sendable, Base2.Element: Sendable, Base3: Sendable,
  Base3.Element: Sendable
{
  AsyncCombineLatest3Sequence(AsyncWidenedFailureSequence(base1), base2, base3)
}

/// Joins three asynchronous sequences where the type of the result is stated to tuples of the latest elements.
///
/// See ``AsyncCombineLatest3Sequence``, whose failure type is that of its first base.
@_disfavoredOverload
@inlinable
public func combineLatest<Base1, Base2, Base3, Stated: _StatedSequence>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3
) -> Stated
where Stated._Inputs == (Base1, Base2, Base3), Stated._Operator == _StatedOperator.CombineLatest {
  Stated(_inputs: (base1, base2, base3))
}
