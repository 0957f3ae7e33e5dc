import InterflowPrimitives

/// An asynchronous sequence of the elements of that one of several others which answers first.
///
/// `race(_:_:)`, `race(_:_:_:)` and `race(_:)` of a collection make one.
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
/// Of two bases, one that cannot fail does not count for the failure type; different failure types give `any Error`.
///
/// Each base is iterated in a task of its own, which the first call of `next()` starts, and which never runs on the
/// consumer's actor. That of the base that has won goes on. No element is taken before the consumer calls `next()`.
///
/// - Cancellation: Cancelling the task cancels all bases and ends the iteration with `nil` at once, also if a base
///   ignores it. Releasing the iterator cancels all bases, too.
public struct AsyncRaceSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  @usableFromInline let makeInputs: @Sendable () -> ContiguousArray<FanInInput<Element>>

  @inlinable
  init(_ makeInputs: @escaping @Sendable () -> ContiguousArray<FanInInput<Element>>) {
    self.makeInputs = makeInputs
  }

  /// Makes an iterator, and with it those of the bases. Their tasks start with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(makeInputs(), isRace: true)
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public typealias Iterator = _MergeIterator<Element, Failure>
}
