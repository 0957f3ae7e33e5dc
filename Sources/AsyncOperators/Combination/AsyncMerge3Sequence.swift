import InterflowPrimitives

/// An asynchronous sequence of the elements of three others, as they arrive.
///
/// `merge(_:_:_:)` makes one. What ``AsyncMerge2Sequence`` says of two bases is so for three.
///
/// ```swift
/// let numbers = AsyncStream<Int> {
///   $0.yield(1); $0.finish()
/// }
/// for await number in merge(numbers, numbers, numbers) {
///   print(number)
/// }
/// ```
///
/// - Cancellation: Cancelling the task or releasing the iterator cancels all bases.
public struct AsyncMerge3Sequence<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>: AsyncSequence,
  Sendable
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable,
  Base3:
    Sendable, Base1.Element: Sendable
{
  /// The elements are those of the bases.
  public typealias Element = Base1.Element
  /// The first base's failure. `merge` chooses types for which this fits the others as well.
  public typealias Failure = Base1.Failure

  @usableFromInline let base1: Base1
  @usableFromInline let base2: Base2
  @usableFromInline let base3: Base3

  @inlinable
  init(_ base1: Base1, _ base2: Base2, _ base3: Base3) {
    self.base1 = base1
    self.base2 = base2
    self.base3 = base3
  }

  /// Makes an iterator, and with it those of the bases. Their tasks start with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator([FanInInput(base1), FanInInput(base2), FanInInput(base3)])
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public typealias Iterator = _MergeIterator<Element, Failure>
}

extension AsyncMerge3Sequence: _StatedSequence {
  /// What it is made of; see `_StatedSequence`.
  public typealias _Inputs = (Base1, Base2, Base3)
  /// The function that makes it.
  public typealias _Operator = _StatedOperator.Merge

  /// Makes the sequence where its type is stated.
  @inlinable
  public init(_inputs inputs: _Inputs) {
    self.init(inputs.0, inputs.1, inputs.2)
  }
}
