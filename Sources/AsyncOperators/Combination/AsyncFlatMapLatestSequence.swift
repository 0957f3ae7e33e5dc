/// An asynchronous sequence of the elements of the sequence that a closure has made last.
///
/// `flatMapLatest(_:)` makes one, and `switchToLatest()`, where the base's elements are the sequences.
///
/// ```swift
/// let queries = AsyncStream<String> {
///   $0.yield("s"); $0.yield("swift"); $0.finish()
/// }
/// let results = queries.flatMapLatest { query in [query, query + "!"].async }
/// for await result in results {
///   print(result)  // for example swift, swift!
/// }
/// ```
///
/// When the base delivers an element, the sequence that the closure made before is cancelled, and none of its elements
/// is delivered after that, not even one that has arrived already. The sequence ends when the base and the closure's
/// last sequence have ended. A failure of either ends it at once: an element that has arrived before is delivered first,
/// then the failure. What a cancelled sequence delivers later is ignored.
///
/// A sequence that cannot fail does not count for the failure type; two different failure types give `any Error`.
///
/// The base's elements are all taken as they come, from the first `next()` on, also while the consumer is busy. Of the
/// closure's last sequence one element is taken ahead. Each is iterated in a task of its own, never on the consumer's
/// actor; the closure is called in the base's.
///
/// - Cancellation: Cancelling the task cancels the base and the closure's last sequence, and ends the iteration with
///   `nil`; an element that has arrived is dropped. Releasing the iterator cancels both, too. A replaced sequence that
///   ignores its cancellation stays in memory until it answers.
public struct AsyncFlatMapLatestSequence<Base: AsyncSequence, Inner: AsyncSequence>: AsyncSequence, Sendable
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
    Iterator(base, .latest, transform)
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public typealias Iterator = _FlatMapIterator<Element, Failure>
}
