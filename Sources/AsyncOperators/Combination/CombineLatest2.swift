// The failure type of the result is chosen here, since Swift cannot compute it of two: an input that cannot fail does not
// count, and different types give `any Error`. The result has that of its first base, which is wrapped where it has
// another one. All but the first function are disfavored, and so a more special one is chosen among the others.

/// Joins two asynchronous sequences whose failures are of one type to tuples of the latest elements.
///
/// See ``AsyncCombineLatest2Sequence``.
@inlinable
public func combineLatest<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncCombineLatest2Sequence<Base1, Base2>
where
  Base1: Sendable, Base1.Element: Sendable, Base2: Sendable, Base2.Element: Sendable, Base1.Failure == Base2.Failure
{
  AsyncCombineLatest2Sequence(base1, base2)
}

/// Joins two asynchronous sequences of which the second cannot fail to tuples of the latest elements.
///
/// See ``AsyncCombineLatest2Sequence``.
@_disfavoredOverload
@inlinable
public func combineLatest<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncCombineLatest2Sequence<Base1, Base2>
where
  Base1: Sendable, Base1.Element: Sendable, Base2: Sendable, Base2.Element: Sendable, Base2.Failure == Never
{
  AsyncCombineLatest2Sequence(base1, base2)
}

/// Joins two asynchronous sequences of which the first cannot fail to tuples of the latest elements.
///
/// See ``AsyncCombineLatest2Sequence``.
@_disfavoredOverload
@inlinable
public func combineLatest<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncCombineLatest2Sequence<AsyncWidenedFailureSequence<Base1, Base2.Failure>, Base2>
where
  Base1: Sendable, Base1.Element: Sendable, Base2: Sendable, Base2.Element: Sendable, Base1.Failure == Never
{
  AsyncCombineLatest2Sequence(AsyncWidenedFailureSequence(base1), base2)
}

/// Joins two asynchronous sequences whose failures are of different types to tuples of the latest elements.
///
/// See ``AsyncCombineLatest2Sequence``.
@_disfavoredOverload
@inlinable
public func combineLatest<Base1: AsyncSequence, Base2: AsyncSequence>(
  _ base1: Base1, _ base2: Base2
) -> AsyncCombineLatest2Sequence<AsyncWidenedFailureSequence<Base1, any Error>, Base2>
where
  Base1: Sendable, Base1.Element: Sendable, Base2: Sendable, Base2.Element: Sendable
{
  AsyncCombineLatest2Sequence(AsyncWidenedFailureSequence(base1), base2)
}

/// Joins two asynchronous sequences where the type of the result is stated to tuples of the latest elements.
///
/// See ``AsyncCombineLatest2Sequence``, whose failure type is that of its first base.
@_disfavoredOverload
@inlinable
public func combineLatest<Base1, Base2, Stated: _StatedSequence>(
  _ base1: Base1, _ base2: Base2
) -> Stated
where Stated._Inputs == (Base1, Base2), Stated._Operator == _StatedOperator.CombineLatest {
  Stated(_inputs: (base1, base2))
}
