/// An asynchronous sequence of the elements of sequences that a closure makes, of which some are iterated at a time.
///
/// `flatMap(maxTasks:_:)` makes one.
///
/// ```swift
/// let numbers = (1...3).async.flatMap(maxTasks: 2) { [$0, 10 * $0].async }
/// for await number in numbers {
///   print(number)  // for example 1, 2, 10, 20, 3, 30
/// }
/// ```
///
/// The elements are delivered as they arrive; those of one of the closure's sequences are in order. The sequence ends
/// when the base and the last of the closure's sequences have ended. A failure of the base or of one of them ends it at
/// once: the elements that have arrived before are delivered first, then the failure, and all others are cancelled.
///
/// A sequence that cannot fail does not count for the failure type; two different failure types give `any Error`.
///
/// The base and the closure's sequences are iterated in tasks of their own, never on the consumer's actor. They begin
/// with the first call of `next()` and do not wait for the consumer: at most `maxTasks` elements of the base are taken ahead, and one element of each of the
/// closure's sequences. Nothing is taken from the base while as many sequences are iterated as `maxTasks` says. The
/// closure is called in the base's task.
///
/// - Cancellation: Cancelling the task cancels the base and all of the closure's sequences, and ends the iteration with
///   `nil`; elements that have arrived are dropped. Releasing the iterator cancels all, too.
/// - Complexity: An element costs the same for any number of sequences.
public struct AsyncConcurrentFlatMapSequence<Base: AsyncSequence, Inner: AsyncSequence>: AsyncSequence, Sendable
where Base: Sendable, Inner: Sendable, Inner.Element: Sendable {
  /// The elements of the closure's sequences.
  public typealias Element = Inner.Element
  /// The base's failure. The functions that make it choose a base for which this fits the closure's sequences as well.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let transform: @Sendable (Base.Element) -> Inner
  @usableFromInline let maxTasks: Int

  @inlinable
  init(_ base: Base, maxTasks: Int, _ transform: @escaping @Sendable (Base.Element) -> Inner) {
    precondition(maxTasks > 0, "flatMap(maxTasks: \(maxTasks)): no sequence could ever be iterated")
    self.maxTasks = maxTasks
    self.base = base
    self.transform = transform
  }

  /// Makes an iterator, and with it that of the base. Its task starts with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base, .several, limit: maxTasks, transform)
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public typealias Iterator = _FlatMapIterator<Element, Failure>
}
