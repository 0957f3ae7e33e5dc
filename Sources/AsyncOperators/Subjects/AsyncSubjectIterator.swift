/// Delivers the elements that are sent into a subject, or that a shared sequence has, from the moment on in which the
/// iterator is made.
///
/// The iterator is a consumer with a buffer of its own. Only one `next()` may be called at a time. Releasing the
/// iterator, and cancelling the task that calls `next()`, removes the consumer and drops what it has not delivered.
public struct AsyncSubjectIterator<Element, Failure: Error>: _IsolatedIterator {
  @usableFromInline let consumer: FanOutConsumer<Element, Failure>

  @inlinable
  init(_ consumer: FanOutConsumer<Element, Failure>) {
    self.consumer = consumer
  }

  @inlinable
  init(_ fanOut: FanOut<Element, Failure>, _ policy: AsyncSubjectBufferingPolicy) {
    self.init(FanOutConsumer(fanOut, policy.rule, limit: policy.limit))
  }

  /// How many elements this consumer has lost because its buffer was full.
  public var droppedCount: Int { consumer.droppedCount }

  /// The next element, on the caller's isolation; `nil` after the end.
  @inlinable
  public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    if let element = consumer.poll() { return element }
    return try await consumer.nextAfterPoll(isolation: actor)
  }
}

@available(*, unavailable)
extension AsyncSubjectIterator: Sendable {}

/// The elements of a subject for consumers whose buffers have a policy of their own.
///
/// `values(bufferingPolicy:)` of a subject makes one. Each iterator is a consumer, from the moment on in which it is
/// made. The sequence does not keep the subject alive.
public struct AsyncSubjectValues<Element, Failure: Error>: AsyncSequence {
  @usableFromInline let fanOut: FanOut<Element, Failure>
  @usableFromInline let policy: AsyncSubjectBufferingPolicy

  @inlinable
  init(_ fanOut: FanOut<Element, Failure>, _ policy: AsyncSubjectBufferingPolicy) {
    self.fanOut = fanOut
    self.policy = policy
  }

  /// Adds a consumer.
  @inlinable
  public func makeAsyncIterator() -> AsyncSubjectIterator<Element, Failure> {
    AsyncSubjectIterator(fanOut, policy)
  }
}

extension AsyncSubjectValues: Sendable where Element: Sendable {}
