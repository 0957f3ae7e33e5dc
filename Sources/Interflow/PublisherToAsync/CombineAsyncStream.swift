import Combine
import InterflowPrimitives

/// The values of a publisher as an asynchronous sequence that has subscribed already, and keeps what nobody takes yet.
///
/// Everything sent after the stream was made is kept as its policy says. All iterators take from one buffer, so a loop
/// that is left with `break` can be taken up by another.
///
/// - Demand: without limit, from the beginning.
/// - Thread: Values arrive in the order in which they were sent, whichever threads sent them.
/// - Cancellation: ``cancel()``, cancelling a task that iterates, and dropping the last reference to the stream and its
///   iterators cancel the subscription, drop what is buffered, and end every iteration with `nil`. `break` does not.
public final class CombineAsyncStream<Upstream: Publisher>: AsyncSequence {
  /// The kind of values that the sequence delivers.
  public typealias Element = Upstream.Output
  /// The publisher's failure.
  public typealias Failure = Upstream.Failure

  @usableFromInline typealias Inbox = AsyncInboxSubscriber<Upstream.Output, Upstream.Failure>.Inbox

  @usableFromInline let inbox: Inbox

  /// Subscribes to a publisher and keeps its values until they are taken.
  ///
  /// - Parameters:
  ///   - upstream: The publisher.
  ///   - bufferingPolicy: What to keep when values come faster than they are taken.
  @inlinable
  public init(_ upstream: Upstream, bufferingPolicy: BufferingPolicy = .unbounded) {
    inbox = Inbox(AsyncInboxStateMachine(bufferingPolicy))
    upstream.subscribe(AsyncInboxSubscriber(inbox))
  }

  deinit {
    inbox.cancel()
  }

  /// How many tasks wait in `next()`. For tests, which have no other way to see that one does.
  var waiterCount: Int { inbox.waiterCount }

  /// How many values the policy has dropped so far.
  public var droppedCount: Int { inbox.droppedCount }

  /// Cancels the subscription, drops what is buffered, and ends every iteration with `nil`.
  public func cancel() {
    inbox.cancel()
  }

  /// Makes an iterator that takes from the stream's one buffer.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// One consumer of the stream's buffer. It keeps the stream alive.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let stream: CombineAsyncStream

    @inlinable
    init(_ stream: CombineAsyncStream) {
      self.stream = stream
    }

    /// The next value; `nil` after the publisher has finished, or the stream or the task was cancelled.
    ///
    /// Throws the publisher's failure once; what follows is `nil`.
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
  /// Subscribes at once and keeps the values until they are taken.
  ///
  /// For publishers that send without being asked: nothing sent after this call is lost.
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
  /// - Parameter bufferingPolicy: What to keep when values come faster than they are taken.
  @inlinable
  public func asyncStream(bufferingPolicy: BufferingPolicy = .unbounded) -> CombineAsyncStream<Self> {
    CombineAsyncStream(self, bufferingPolicy: bufferingPolicy)
  }
}
