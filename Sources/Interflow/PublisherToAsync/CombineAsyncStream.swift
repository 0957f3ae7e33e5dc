import Combine
import InterflowPrimitives

/// The values of a publisher as an asynchronous sequence that subscribes when it is made, and buffers the values.
///
/// Everything that the publisher sends after the stream was made is buffered as the policy says. All iterators take
/// from one buffer, so after a `break` another loop can continue.
///
/// - Demand: Unlimited demand is requested when the stream is made.
/// - Thread: Values are delivered in the order in which they were sent, whichever threads sent them.
/// - Cancellation: ``cancel()``, cancelling a task that iterates, and releasing the stream and its iterators cancel the
///   subscription, drop the buffered values, and end every iteration with `nil`. `break` does not. Cancelling a task
///   takes effect at once while it waits in `next()`, otherwise with its following `next()`: the stream buffers until
///   then.
public final class CombineAsyncStream<Upstream: Publisher>: AsyncSequence {
  /// The kind of values that the sequence delivers.
  public typealias Element = Upstream.Output
  /// The publisher's failure.
  public typealias Failure = Upstream.Failure

  @usableFromInline typealias Inbox = AsyncInboxSubscriber<Upstream.Output, Upstream.Failure>.Inbox

  @usableFromInline let inbox: Inbox

  /// Subscribes to a publisher and buffers its values until they are taken.
  ///
  /// - Parameters:
  ///   - upstream: The publisher.
  ///   - bufferingPolicy: Which values to keep when they arrive faster than they are taken.
  @inlinable
  public init(_ upstream: Upstream, bufferingPolicy: BufferingPolicy = .unbounded) {
    inbox = Inbox(AsyncInboxStateMachine(bufferingPolicy))
    upstream.subscribe(AsyncInboxSubscriber(inbox))
  }

  deinit {
    inbox.cancel()
  }

  /// How many tasks wait in `next()`: for tests.
  var waiterCount: Int { inbox.waiterCount }

  /// How many values the policy has dropped so far.
  public var droppedCount: Int { inbox.droppedCount }

  /// Cancels the subscription, drops the buffered values, and ends every iteration with `nil`.
  public func cancel() {
    inbox.cancel()
  }

  /// Makes an iterator that takes from the stream's buffer, which all iterators share.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// One consumer of the stream's buffer. It retains the stream.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let stream: CombineAsyncStream

    @inlinable
    init(_ stream: CombineAsyncStream) {
      self.stream = stream
    }

    /// The next value; `nil` after the publisher has finished, or the stream or the task was cancelled.
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
      if let element = stream.inbox.poll() { return element }
      return try await stream.inbox.nextAfterPoll(isolation: actor)
    }
  }
}

// The inbox's lock guards every mutable state; values cross from the publisher's thread to the consumer's.
extension CombineAsyncStream: @unchecked Sendable where Upstream.Output: Sendable {}

extension AsyncInboxStateMachine {
  @usableFromInline
  init(_ policy: BufferingPolicy) {
    self.init(capacity: policy.capacity, keepsOldest: policy.keepsOldest)
  }
}

extension Publisher {
  /// Subscribes at once and buffers the values until they are taken.
  ///
  /// For publishers that drop values without demand, such as subjects: nothing sent after this call is dropped, unless
  /// by the buffering policy.
  ///
  /// - Demand: Unlimited demand is requested at once.
  ///
  /// ```swift
  /// let subject = PassthroughSubject<Int, Never>()
  /// let stream = subject.asyncStream()
  /// subject.send(1)
  /// subject.send(2)
  /// subject.send(completion: .finished)
  /// for await value in stream {
  ///   print(value)  // 1, 2
  /// }
  /// ```
  ///
  /// - Parameter bufferingPolicy: Which values to keep when they arrive faster than they are taken.
  @inlinable
  public func asyncStream(bufferingPolicy: BufferingPolicy = .unbounded) -> CombineAsyncStream<Self> {
    CombineAsyncStream(self, bufferingPolicy: bufferingPolicy)
  }
}
