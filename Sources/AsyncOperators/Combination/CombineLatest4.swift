// Swift cannot say of a parameter pack that all failures are one type. So there is a function for each of these numbers of
// inputs, and one for any number whose result fails with `any Error`.

/// Joins four asynchronous sequences whose failures are of one type to tuples of their latest elements.
///
/// A base that cannot fail beside bases that can takes their failure type by `setFailureType(to:)`; without that, the
/// result fails with `any Error`. See ``AsyncCombineLatestSequence``.
@inlinable
public func combineLatest<Failure: Error, E1: Sendable, E2: Sendable, E3: Sendable, E4: Sendable>(
  _ base1: any AsyncSequence<E1, Failure> & Sendable, _ base2: any AsyncSequence<E2, Failure> & Sendable,
  _ base3: any AsyncSequence<E3, Failure> & Sendable, _ base4: any AsyncSequence<E4, Failure> & Sendable
) -> AsyncCombineLatestSequence<Failure, E1, E2, E3, E4> {
  AsyncCombineLatestSequence {
    FanInInputs(
      FanInInput(base1), FanInInput(base2), FanInInput(base3), FanInInput(base4))
  }
}

/// Joins five asynchronous sequences whose failures are of one type to tuples of their latest elements.
///
/// A base that cannot fail beside bases that can takes their failure type by `setFailureType(to:)`; without that, the
/// result fails with `any Error`. See ``AsyncCombineLatestSequence``.
@inlinable
public func combineLatest<Failure: Error, E1: Sendable, E2: Sendable, E3: Sendable, E4: Sendable, E5: Sendable>(
  _ base1: any AsyncSequence<E1, Failure> & Sendable, _ base2: any AsyncSequence<E2, Failure> & Sendable,
  _ base3: any AsyncSequence<E3, Failure> & Sendable, _ base4: any AsyncSequence<E4, Failure> & Sendable,
  _ base5: any AsyncSequence<E5, Failure> & Sendable
) -> AsyncCombineLatestSequence<Failure, E1, E2, E3, E4, E5> {
  AsyncCombineLatestSequence {
    FanInInputs(
      FanInInput(base1), FanInInput(base2), FanInInput(base3), FanInInput(base4),
      FanInInput(base5))
  }
}

/// Joins six asynchronous sequences whose failures are of one type to tuples of their latest elements.
///
/// A base that cannot fail beside bases that can takes their failure type by `setFailureType(to:)`; without that, the
/// result fails with `any Error`. See ``AsyncCombineLatestSequence``.
@inlinable
public func combineLatest<
  Failure: Error, E1: Sendable, E2: Sendable, E3: Sendable, E4: Sendable, E5: Sendable, E6: Sendable
>(
  _ base1: any AsyncSequence<E1, Failure> & Sendable, _ base2: any AsyncSequence<E2, Failure> & Sendable,
  _ base3: any AsyncSequence<E3, Failure> & Sendable, _ base4: any AsyncSequence<E4, Failure> & Sendable,
  _ base5: any AsyncSequence<E5, Failure> & Sendable, _ base6: any AsyncSequence<E6, Failure> & Sendable
) -> AsyncCombineLatestSequence<Failure, E1, E2, E3, E4, E5, E6> {
  AsyncCombineLatestSequence {
    FanInInputs(
      FanInInput(base1), FanInInput(base2), FanInInput(base3), FanInInput(base4),
      FanInInput(base5), FanInInput(base6))
  }
}

/// Joins any number of asynchronous sequences whose failures are of different types to tuples of their latest elements.
///
/// See ``AsyncCombineLatestSequence``.
@_disfavoredOverload
@inlinable
public func combineLatest<each Base: AsyncSequence & Sendable>(
  _ bases: repeat each Base
) -> AsyncCombineLatestSequence<any Error, repeat (each Base).Element> where repeat (each Base).Element: Sendable {
  let bases = (repeat each bases)
  return AsyncCombineLatestSequence { FanInInputs(repeat FanInInput(each bases)) }
}
