import InterflowPrimitives

/// The values of a publisher that may fail, as an asynchronous sequence that throws the failure.
///
/// Each iterator subscribes when it is made. Each `next()` requests one value. A publisher that drops values for which
/// there is no demand, such as a subject, drops those that it sends between two calls; put a `buffer` in front of this
/// to keep them.
///
/// - Demand: One value for each `next()`. A value that a publisher delivers without demand is buffered. A `buffer` with
///   `.byRequest` right in front of this is replaced by the iterator's own buffer, with the same size and policy, so
///   that a producer on another thread and the loop hardly ever wait for each other.
/// - Cancellation: Releasing the iterator, as `break` does, cancels the subscription. So does cancelling the task: at
///   once while it waits in `next()`, otherwise with its following `next()`. The iteration then ends with `nil`, after a value that has arrived for
///   the `next()` that is being cancelled.
@frozen
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {
  /// The kind of values that the sequence delivers.
  public typealias Element = P.Output
  /// The publisher's failure, type-erased.
  public typealias Failure = any Error

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

  /// An iterator over a publisher's values, which has its own subscription.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline typealias Iteration = AsyncInboxIteration<P.Output, P.Failure, SubscriptionUpstream>

    @usableFromInline let iteration: Iteration

    @inlinable
    init(_ iteration: Iteration) {
      self.iteration = iteration
    }

    /// Requests the next value and waits for it; `nil` after the publisher has finished or the task was cancelled.
    ///
    /// Throws the publisher's failure once; after that, it returns `nil`.
    @inlinable
    public nonisolated(nonsending) mutating func next() async throws -> P.Output? {
      try await next(isolation: #isolation)
    }

    /// The next value, taken on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> P.Output? {
      if let element = iteration.inbox.poll() { return element }
      return try await iteration.inbox.nextAfterPoll(isolation: actor)
    }
  }
}

extension Publisher {
  /// The publisher's values, as an asynchronous sequence that requests one at a time and throws the failure.
  ///
  /// ```swift
  /// do {
  ///   for try await value in publisher.values { print(value) }
  /// } catch {
  ///   print("failed: \(error)")
  /// }
  /// ```
  @inlinable
  public var values: AsyncThrowingPublisher<Self> {
    AsyncThrowingPublisher(self)
  }
}
