import InterflowPrimitives

/// An asynchronous sequence of the elements of that one of two others which answers first.
///
/// `race(_:_:)` makes one.
///
/// ```swift
/// let mirror = AsyncStream<String> { _ in }
/// let server = AsyncStream<String> {
///   $0.yield("a"); $0.yield("b"); $0.finish()
/// }
/// for await line in race(mirror, server) {
///   print(line)  // a, b
/// }
/// ```
///
/// The first base to deliver an element wins: the others are cancelled, and the sequence goes on with its elements, its
/// end and its failure. If a base ends or fails before any has delivered an element, that is the end or the failure of
/// the sequence. An element that another base delivers meanwhile is dropped.
///
/// A base that cannot fail does not count for the failure type; two different failure types give `any Error`.
///
/// Each base is iterated in a task of its own, which the first call of `next()` starts, and which never runs on the
/// consumer's actor. That of the base that has won goes on. No element is taken before the consumer calls `next()`.
///
/// - Cancellation: Cancelling the task cancels all bases and ends the iteration with `nil` at once, also if a base
///   ignores it. Releasing the iterator cancels all bases, too.
public struct AsyncRace2Sequence<Base1: AsyncSequence, Base2: AsyncSequence>: AsyncSequence, Sendable
where
  Base1.Element == Base2.Element, Base1: Sendable, Base2: Sendable, Base1.Element: Sendable
{
  /// The elements are those of the bases.
  public typealias Element = Base1.Element
  /// The first base's failure. `race` chooses types for which this fits the others as well.
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
    Iterator([FanInInput(base1), FanInInput(base2)], isRace: true)
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public typealias Iterator = _MergeIterator<Element, Failure>
}
