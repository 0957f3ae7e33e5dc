/// An asynchronous sequence of the elements of sequences that a closure makes, each only after the end of that before.
///
/// `flatMapFirst(_:)` makes one.
///
/// ```swift
/// let clicks = AsyncStream<Int> {
///   $0.yield(1); $0.yield(2); $0.finish()
/// }
/// let answers = clicks.flatMapFirst { click in ["start \(click)", "end \(click)"].async }
/// for await answer in answers {
///   print(answer)  // for example start 1, end 1
/// }
/// ```
///
/// An element of the base that comes before the sequence made last has ended is dropped, and the closure is not called
/// for it. The sequence ends when the base and the closure's last sequence have ended. A failure of either ends it at
/// once: an element that has arrived before is delivered first, then the failure.
///
/// A sequence that cannot fail does not count for the failure type; two different failure types give `any Error`.
///
/// The base's elements are all taken as they come, from the first `next()` on, also while the consumer is busy. Of the
/// closure's sequence one element is taken ahead; as long as the consumer has not taken it, that sequence has not ended.
/// Each is iterated in a task of its own, never on the consumer's actor; the closure is called in the base's.
///
/// - Cancellation: Cancelling the task cancels the base and the closure's sequence, and ends the iteration with `nil`;
///   an element that has arrived is dropped. Releasing the iterator cancels both, too.
public struct AsyncFlatMapFirstSequence<Base: AsyncSequence, Inner: AsyncSequence>: AsyncSequence, Sendable
where Base: Sendable, Inner: Sendable, Inner.Element: Sendable {
  /// The elements of the closure's sequences.
  public typealias Element = Inner.Element
  /// The base's failure. The functions that make it choose a base for which this fits the closure's sequences as well.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let transform: @Sendable (Base.Element) -> Inner

  @inlinable
  init(_ base: Base, _ transform: @escaping @Sendable (Base.Element) -> Inner) {
    self.base = base
    self.transform = transform
  }

  /// Makes an iterator, and with it that of the base. Its task starts with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base, .first, transform)
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public typealias Iterator = _FlatMapIterator<Element, Failure>
}
