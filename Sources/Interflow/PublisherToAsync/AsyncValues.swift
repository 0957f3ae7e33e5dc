import Combine
import InterflowPrimitives

/// The values of a publisher as an asynchronous sequence that requests them and throws the publisher's own failure.
///
/// Each iterator subscribes when it is made. A publisher that waits for demand, such as an ``AsyncChannel``, waits for
/// the loop. The values that a subject sends without demand, while the loop is busy, are dropped;
/// ``Combine/Publisher/asyncStream(bufferingPolicy:)`` buffers them.
///
/// - Demand: `prefetch` values are requested whenever `next()` finds that all requested before have been taken, so at
///   most that many are buffered. A value that arrives without demand, against the rules, is buffered like the others.
/// - Cancellation: Releasing the iterator, as `break` does, cancels the subscription. So does cancelling the task: at
///   once while it waits in `next()`, otherwise with its following `next()`. The iteration then ends with `nil`, and
///   the buffered values are dropped, except for one that has arrived for the `next()` that is being cancelled, which
///   returns it.
@frozen
public struct AsyncValues<Upstream: Publisher>: AsyncSequence {
  /// The kind of values that the sequence delivers.
  public typealias Element = Upstream.Output
  /// The publisher's failure.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let prefetch: Int

  /// Makes an asynchronous sequence of a publisher's values.
  ///
  /// - Parameters:
  ///   - upstream: The publisher.
  ///   - prefetch: How many values to request at a time. Fewer than one is a programming error and traps.
  @inlinable
  public init(_ upstream: Upstream, prefetch: Int = 1) {
    precondition(prefetch > 0, "at least one value must be requested at a time, but prefetch was \(prefetch)")
    self.upstream = upstream
    self.prefetch = prefetch
  }

  /// Subscribes to the publisher.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(AsyncInboxIteration(upstream, prefetch: prefetch))
  }

  /// An iterator over a publisher's values, which has its own subscription.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline
    typealias Iteration = AsyncInboxIteration<Upstream.Output, Upstream.Failure, SubscriptionUpstream>

    @usableFromInline let iteration: Iteration

    @inlinable
    init(_ iteration: Iteration) {
      self.iteration = iteration
    }

    /// How many tasks wait in `next()`: for tests.
    var waiterCount: Int { iteration.inbox.waiterCount }

    /// The next value; `nil` after the publisher has finished or the task was cancelled.
    ///
    /// Throws the publisher's failure once; after that, it returns `nil`.
    @inlinable
    public nonisolated(nonsending) mutating func next() async throws(Upstream.Failure) -> Upstream.Output? {
      try await next(isolation: #isolation)
    }

    /// The next value, taken on the caller's isolation.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Upstream.Failure) -> Upstream.Output? {
      if let element = iteration.inbox.poll() { return element }
      return try await iteration.inbox.nextAfterPoll(isolation: actor)
    }
  }
}

extension AsyncValues: Sendable where Upstream: Sendable {}

extension Publisher {
  /// The publisher's values, as an asynchronous sequence that requests one at a time and throws the publisher's
  /// failure.
  ///
  /// A publisher that cannot fail needs no `try`; the error that another one throws has the type of its failure:
  ///
  /// ```swift
  /// for await value in [1, 2, 3].publisher.asyncValues {
  ///   print(value)  // 1, 2, 3
  /// }
  /// ```
  @inlinable
  public var asyncValues: AsyncValues<Self> {
    AsyncValues(self)
  }

  /// The publisher's values, as an asynchronous sequence that requests several at a time and throws the publisher's
  /// failure.
  ///
  /// - Parameter prefetch: How many values to request at a time, and to buffer at most. Fewer than one is a programming
  ///   error and traps.
  @inlinable
  public func asyncValues(prefetch: Int) -> AsyncValues<Self> {
    AsyncValues(self, prefetch: prefetch)
  }
}
