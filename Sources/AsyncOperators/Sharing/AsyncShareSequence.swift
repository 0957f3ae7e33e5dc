import InterflowPrimitives

extension AsyncSequence where Self: SendableMetatype, AsyncIterator: SendableMetatype, Element: Sendable {
  /// Shares one iteration of the sequence among any number of consumers.
  ///
  /// See ``AsyncShareSequence``.
  ///
  /// - Parameter bufferingPolicy: How many elements are buffered for each consumer, and what happens to more.
  @inlinable
  public func share(
    bufferingPolicy: AsyncBufferSequencePolicy = .bounded(1)
  ) -> AsyncShareSequence<Element, Failure> {
    AsyncShareSequence(self, bufferingPolicy, replay: 0)
  }

  /// Shares one iteration of the sequence among any number of consumers, and gives the newest elements to those that
  /// come late.
  ///
  /// See ``AsyncShareSequence``.
  ///
  /// - Parameters:
  ///   - count: How many of the newest elements a new consumer gets first; `Int.max` for all.
  ///   - bufferingPolicy: How many elements are buffered for each consumer, and what happens to more.
  @inlinable
  public func share(
    replay count: Int, bufferingPolicy: AsyncBufferSequencePolicy = .bounded(1)
  ) -> AsyncShareSequence<Element, Failure> {
    precondition(count >= 0, "the number of elements to replay must not be negative, but was \(count)")
    return AsyncShareSequence(self, bufferingPolicy, replay: count)
  }
}

/// An asynchronous sequence whose consumers share one iteration of another one.
///
/// `share(bufferingPolicy:)` and `share(replay:bufferingPolicy:)` make one.
///
/// ```swift
/// let shared = [1, 2, 3].async.share()
/// var numbers = shared.makeAsyncIterator()
/// var squares = shared.map { $0 * $0 }.makeAsyncIterator()
/// while let number = await numbers.next(), let square = await squares.next() {
///   print(number, square)  // 1 1, 2 4, 3 9
/// }
/// ```
///
/// Each call of `makeAsyncIterator()` adds a consumer. It gets what is still buffered for one of the others, the one that
/// is furthest behind, with `share(replay:)` at least the newest of the elements that arrived before, and then those that
/// arrive. So it need not wait for consumers that have stopped reading to get its first elements, unless nothing is
/// buffered: with a limit of zero, and without `replay`, it waits until all of them wait. Each consumer has its own place
/// in the sequence. With `.bufferingOldest(n)`, whose buffers may lack the newest elements, it gets those to be replayed,
/// and what is buffered for others only where there are none.
///
/// The base's iterator is made with the first consumer, so that nothing that a subject sends after that is lost. Since the
/// base need not be `Sendable`, only one thread at a time makes or releases an iterator of it. A consumer that another
/// thread adds meanwhile does not wait for that: it may miss what a subject sends until the first thread's
/// `makeAsyncIterator()` has returned, or until the consumer that was there before has been released.
///
/// One task iterates the base. It starts when the first consumer waits for an element. From then on it runs ahead as far
/// as the policy says:
/// - `.bounded(n)`: an element is taken from the base only while every consumer has fewer than `n` elements in its
///   buffer. Nothing is lost, and the slowest consumer sets the pace. With `.bounded(0)`, only while all of them wait.
/// - `.unbounded`: without a limit.
/// - `.bufferingLatest(n)`, `.bufferingOldest(n)`: without a limit, and consumers that are slow lose elements. The others
///   do not. With a limit of zero, as with `.bounded(0)`.
///
/// When all consumers have left, nothing is taken from the base until another one waits for an element. That one gets the
/// element that the base was making meanwhile, if there is one.
///
/// The end and a failure of the base come after the buffered elements, a failure once for each consumer, and then `nil`.
/// A consumer that is added after the end gets the elements to be replayed, and then the failure or the end.
///
/// The base need not be `Sendable`, but then nothing else may use it.
///
/// - Cancellation: Cancelling a consumer's task ends its iteration with `nil` and drops what it has not delivered;
///   releasing its iterator removes it, too. The others stay. The base is cancelled when the last consumer has left and
///   the shared sequence has been released.
public struct AsyncShareSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  @usableFromInline let owner: ShareOwner<Element, Failure>
  @usableFromInline let policy: AsyncBufferSequencePolicy

  @inlinable
  init<Base: AsyncSequence>(_ base: Base, _ policy: AsyncBufferSequencePolicy, replay: Int)
  where
    Base: SendableMetatype, Base.AsyncIterator: SendableMetatype, Base.Element == Element, Base.Failure == Failure
  {
    let fanOut = FanOut<Element, Failure>(historyLimit: replay, replaysAfterEnd: true, sharesBuffers: true)
    // The object references this, and the task that runs what it makes; it drops both at the end.
    fanOut.makeWork = {
      let iterator = IteratorTransfer(base.makeAsyncIterator())
      return { await fanOut.run(iterator) }
    }
    owner = ShareOwner(fanOut)
    self.policy = policy
  }

  /// Adds a consumer, and with the first one makes the base's iterator. Its task starts when a consumer waits.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    // Without a buffer there is nothing to replace.
    let consumer = FanOutConsumer(owner.fanOut, policy.limit == 0 ? .wait : policy.rule, limit: policy.limit)
    owner.fanOut.prepare()
    return Iterator(consumer)
  }

  /// Delivers the elements that arrive from the moment on in which it is made. Only one `next()` may be called at a time.
  public typealias Iterator = AsyncSubjectIterator<Element, Failure>
}

/// What all copies of a shared sequence reference. Its release means that there will be no new consumers.
@usableFromInline
final class ShareOwner<Element: Sendable, Failure: Error>: Sendable {
  @usableFromInline let fanOut: FanOut<Element, Failure>

  @inlinable
  init(_ fanOut: FanOut<Element, Failure>) {
    self.fanOut = fanOut
  }

  @inlinable
  deinit {
    fanOut.releaseOwner()
  }
}
