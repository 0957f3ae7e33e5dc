import InterflowPrimitives

/// A subject that keeps the newest elements, and gives them to each new consumer first.
///
/// ```swift
/// let log = AsyncReplaySubject<String, Never>(bufferSize: 2)
/// for line in ["a", "b", "c"] { log.send(line) }
/// log.finish()
/// for await line in log {
///   print(line)  // b, c
/// }
/// ```
///
/// Any thread may send, and no `send(_:)` waits for a consumer. There may be any number of consumers: each call of
/// `makeAsyncIterator()` adds one, which gets the elements that the subject keeps then, and every element that is sent
/// after that: none is missed between the two, and none comes twice. All consumers see the elements in the same order,
/// also where several threads send.
///
/// The policy of a consumer's buffer counts for the elements that it is given first, too. Without a policy, the buffer
/// grows as long as the consumer is slower than the senders.
///
/// The end comes after the buffered elements; a failure comes once for each consumer, and then `nil`. A consumer that is
/// added after the end gets the elements that the subject keeps, and then the failure or the end. Releasing the subject
/// ends it for its consumers, since nothing can be sent into it any more.
///
/// - Cancellation: Cancelling the task that waits for an element removes its consumer, drops what it has not delivered,
///   and ends its iteration with `nil`. Releasing an iterator removes its consumer, too. The others stay.
public final class AsyncReplaySubject<Element, Failure: Error>: AsyncSubject {
  @usableFromInline let fanOut: FanOut<Element, Failure>
  @usableFromInline let policy: AsyncSubjectBufferingPolicy

  /// Makes a subject.
  ///
  /// - Parameters:
  ///   - bufferSize: How many elements it keeps for new consumers; `Int.max` for all.
  ///   - bufferingPolicy: How many elements are buffered for each consumer.
  @inlinable
  public init(bufferSize: Int, bufferingPolicy: AsyncSubjectBufferingPolicy = .unbounded) {
    precondition(bufferSize >= 0, "a replay buffer's size must not be negative, but was \(bufferSize)")
    fanOut = FanOut(historyLimit: bufferSize, replaysAfterEnd: true)
    policy = bufferingPolicy
  }

  deinit {
    fanOut.finish(nil)
  }

  /// How many consumers there are.
  public var consumerCount: Int { fanOut.consumerCount }

  /// Keeps an element and sends it to all consumers, without waiting for them. After the end, it does nothing.
  @inlinable
  @discardableResult
  public func send(_ element: Element) -> AsyncSubjectDelivery {
    fanOut.send(element)
  }

  /// Ends the sequence for all consumers, after the elements that were sent before.
  public func finish() {
    fanOut.finish(nil)
  }

  /// Ends the sequence with a failure for all consumers, after the elements that were sent before.
  public func finish(throwing failure: Failure) {
    fanOut.finish(failure)
  }

  /// Adds a consumer, which gets the elements that the subject keeps, and those that are sent from now on.
  @inlinable
  public func makeAsyncIterator() -> AsyncSubjectIterator<Element, Failure> {
    AsyncSubjectIterator(fanOut, policy)
  }

  /// The elements for consumers whose buffers have another policy.
  @inlinable
  public func values(bufferingPolicy: AsyncSubjectBufferingPolicy) -> AsyncSubjectValues<Element, Failure> {
    AsyncSubjectValues(fanOut, bufferingPolicy)
  }
}

extension AsyncReplaySubject: Sendable where Element: Sendable {}
