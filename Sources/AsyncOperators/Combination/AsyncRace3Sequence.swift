/// An asynchronous sequence of the elements of that one of three others which answers first.
///
/// `race(_:_:_:)` makes one. What ``AsyncRace2Sequence`` says of two bases is so for three.
///
/// ```swift
/// let silent = AsyncStream<String> { _ in }
/// let server = AsyncStream<String> {
///   $0.yield("a"); $0.finish()
/// }
/// for await line in race(silent, silent, server) {
///   print(line)  // a
/// }
/// ```
///
/// - Cancellation: Cancelling the task or releasing the iterator cancels all bases.
public struct AsyncRace3Sequence<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>: AsyncSequence,
  Sendable
where
  Base1.Element == Base2.Element, Base1.Element == Base3.Element, Base1: Sendable, Base2: Sendable, Base3: Sendable,
  Base1.Element: Sendable
{
  /// The elements are those of the bases.
  public typealias Element = Base1.Element
  /// The first base's failure. `race` chooses types for which this fits the others as well.
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
    Iterator([FanInInput(base1), FanInInput(base2), FanInInput(base3)], isRace: true)
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public typealias Iterator = _MergeIterator<Element, Failure>
}
