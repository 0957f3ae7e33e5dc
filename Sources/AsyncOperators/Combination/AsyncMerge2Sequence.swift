import InterflowPrimitives

/// An asynchronous sequence of the elements of two others, as they arrive.
///
/// `merge(_:_:)` makes one.
///
/// ```swift
/// let clicks = AsyncStream<String> {
///   $0.yield("click"); $0.finish()
/// }
/// let keys = AsyncStream<String> {
///   $0.yield("key"); $0.finish()
/// }
/// for await event in merge(clicks, keys) {
///   print(event)
/// }
/// ```
///
/// The elements of one base keep their order; those of different bases come in any order where both have elements
/// available. The sequence ends when both bases have ended. A failure of a base ends it at once: the elements that have arrived before are delivered
/// first, then the failure, and the other base is cancelled.
///
/// An input that cannot fail does not count for the failure type; two different failure types give `any Error`.
///
/// Each base is iterated in a task of its own, which the first call of `next()` starts, and which never runs on the
/// consumer's actor. At most one element of each base is taken before the consumer calls `next()`.
///
/// - Cancellation: Cancelling the task cancels both bases and ends the iteration with `nil`; elements that have arrived
///   are dropped. Releasing the iterator cancels both bases, too.
public struct AsyncMerge2Sequence<Base1: AsyncSequence, Base2: AsyncSequence>: AsyncSequence, Sendable
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable
{
  /// The elements are those of the bases.
  public typealias Element = Base1.Element
  /// The first base's failure. `merge` chooses types for which this fits the others as well.
  public typealias Failure = Base1.Failure

  @usableFromInline let base1: Base1
  @usableFromInline let base2: Base2

  @inlinable
  init(_ base1: Base1, _ base2: Base2) {
    self.base1 = base1
    self.base2 = base2
  }

  /// Makes an iterator, and with it those of the bases. Their tasks start with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator([FanInInput(base1), FanInInput(base2)])
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public typealias Iterator = _MergeIterator<Element, Failure>
}

extension AsyncMerge2Sequence: _StatedSequence {
  /// What it is made of; see `_StatedSequence`.
  public typealias _Inputs = (Base1, Base2)
  /// The function that makes it.
  public typealias _Operator = _StatedOperator.Merge

  /// Makes the sequence where its type is stated.
  @inlinable
  public init(_inputs inputs: _Inputs) {
    self.init(inputs.0, inputs.1)
  }
}
