/// Merges four or more asynchronous sequences of one element and one failure type: their elements, as they arrive.
///
/// Bases of one type can also be merged as a collection, which spares the type erasure that this has. A base that cannot
/// fail beside bases that can takes their failure type by `setFailureType(to:)`; without that, the result fails with
/// `any Error`. See ``AsyncMergeManySequence``.
///
/// ```swift
/// let numbers = AsyncStream<Int> {
///   $0.yield(1); $0.finish()
/// }
/// for await number in merge(numbers, [2].async, [3].async.map { $0 + 1 }, [5, 6].async.filter { $0 > 5 }) {
///   print(number)  // 1, 2, 4 and 6, in any order
/// }
/// ```
@inlinable
public func merge<Element: Sendable, Failure: Error>(
  _ base1: any AsyncSequence<Element, Failure> & Sendable, _ base2: any AsyncSequence<Element, Failure> & Sendable,
  _ base3: any AsyncSequence<Element, Failure> & Sendable, _ base4: any AsyncSequence<Element, Failure> & Sendable,
  _ others: any AsyncSequence<Element, Failure> & Sendable...
) -> AsyncMergeManySequence<AnyAsyncSequence<Element, Failure>> {
  AsyncMergeManySequence(([base1, base2, base3, base4] + others).map { AnyAsyncSequence($0) })
}

/// Merges four asynchronous sequences whose failures are of different types: their elements, as they arrive.
///
/// See ``AsyncMergeManySequence``.
@_disfavoredOverload
@inlinable
public func merge<
  Base1: AsyncSequence & Sendable, Base2: AsyncSequence & Sendable, Base3: AsyncSequence & Sendable,
  Base4: AsyncSequence & Sendable
>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3, _ base4: Base4
) -> AsyncMergeManySequence<AnyAsyncSequence<Base1.Element, any Error>>
where
  Base1.Element: Sendable, Base2.Element == Base1.Element, Base3.Element == Base1.Element,
  Base4.Element == Base1.Element
{
  AsyncMergeManySequence([
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base1, any Error>(base1)),
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base2, any Error>(base2)),
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base3, any Error>(base3)),
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base4, any Error>(base4)),
  ])
}

/// Merges five asynchronous sequences whose failures are of different types: their elements, as they arrive.
///
/// See ``AsyncMergeManySequence``.
@_disfavoredOverload
@inlinable
public func merge<
  Base1: AsyncSequence & Sendable, Base2: AsyncSequence & Sendable, Base3: AsyncSequence & Sendable,
  Base4: AsyncSequence & Sendable, Base5: AsyncSequence & Sendable
>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3, _ base4: Base4, _ base5: Base5
) -> AsyncMergeManySequence<AnyAsyncSequence<Base1.Element, any Error>>
where
  Base1.Element: Sendable, Base2.Element == Base1.Element, Base3.Element == Base1.Element,
  Base4.Element == Base1.Element, Base5.Element == Base1.Element
{
  AsyncMergeManySequence([
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base1, any Error>(base1)),
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base2, any Error>(base2)),
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base3, any Error>(base3)),
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base4, any Error>(base4)),
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base5, any Error>(base5)),
  ])
}

/// Merges six asynchronous sequences whose failures are of different types: their elements, as they arrive.
///
/// See ``AsyncMergeManySequence``.
@_disfavoredOverload
@inlinable
public func merge<
  Base1: AsyncSequence & Sendable, Base2: AsyncSequence & Sendable, Base3: AsyncSequence & Sendable,
  Base4: AsyncSequence & Sendable, Base5: AsyncSequence & Sendable, Base6: AsyncSequence & Sendable
>(
  _ base1: Base1, _ base2: Base2, _ base3: Base3, _ base4: Base4, _ base5: Base5, _ base6: Base6
) -> AsyncMergeManySequence<AnyAsyncSequence<Base1.Element, any Error>>
where
  Base1.Element: Sendable, Base2.Element == Base1.Element, Base3.Element == Base1.Element,
  Base4.Element == Base1.Element, Base5.Element == Base1.Element, Base6.Element == Base1.Element
{
  AsyncMergeManySequence([
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base1, any Error>(base1)),
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base2, any Error>(base2)),
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base3, any Error>(base3)),
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base4, any Error>(base4)),
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base5, any Error>(base5)),
    AnyAsyncSequence(AsyncWidenedFailureSequence<Base6, any Error>(base6)),
  ])
}
