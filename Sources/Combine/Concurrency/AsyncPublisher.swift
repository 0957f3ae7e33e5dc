import InterflowPrimitives

/// The values of a publisher that cannot fail, as an asynchronous sequence.
///
/// Each iterator subscribes when it is made. Each `next()` asks the publisher for one value, so one that sends without
/// being asked, as a subject does, loses what it sends in between; a `buffer` in front keeps it.
///
/// - Demand: one value for each `next()`. A value that comes without being asked for is kept until it is. The iterator
///   takes the place of a `buffer` right in front of it that asks `.byRequest`, with the buffer's size and policy, so
///   that a producer on another thread and the loop hardly ever wait for each other.
/// - Cancellation: dropping the iterator, as `break` does, cancels the subscription; so does cancelling the task, at
///   once while it waits in `next()` and with its following `next()` otherwise. The iteration then ends with `nil`.
@frozen
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {
  /// The kind of values that the sequence delivers.
  public typealias Element = P.Output
  /// An iteration cannot fail.
  public typealias Failure = Never

  @usableFromInline let publisher: P

  /// Makes an asynchronous sequence of a publisher's values.
  @inlinable
  public init(_ publisher: P) {
    self.publisher = publisher
  }

  /// Subscribes to the publisher.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(AsyncInboxIteration(publisher))
  }

  /// One iteration over a publisher's values, with a subscription of its own.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline typealias Iteration = AsyncInboxIteration<P.Output, Never, SubscriptionUpstream>

    @usableFromInline let iteration: Iteration

    @inlinable
    init(_ iteration: Iteration) {
      self.iteration = iteration
    }

    /// The next value, which is asked for now; `nil` after the publisher has finished or the task was cancelled.
    @inlinable
    public nonisolated(nonsending) mutating func next() async -> P.Output? {
      await next(isolation: #isolation)
    }

    /// The next value, taken on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> P.Output? {
      if let element = iteration.inbox.poll() { return element }
      return await iteration.inbox.nextAfterPoll(isolation: actor)
    }
  }
}

extension Publisher where Failure == Never {
  /// The publisher's values, as an asynchronous sequence that asks for one at a time.
  ///
  /// ```swift
  /// for await value in [1, 2, 3].publisher.values {
  ///   print(value)  // 1, 2, 3
  /// }
  /// ```
  @inlinable
  public var values: AsyncPublisher<Self> {
    AsyncPublisher(self)
  }
}
