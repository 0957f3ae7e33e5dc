import InterflowPrimitives

/// A subject that holds a value, and gives it to each new consumer first.
///
/// ```swift
/// let level = AsyncCurrentValueSubject<Int, Never>(1)
/// var consumer = level.makeAsyncIterator()
/// level.value = 2
/// print(await consumer.next() ?? 0, await consumer.next() ?? 0)  // 1 2
/// ```
///
/// Any thread may send, and no `send(_:)` waits for a consumer. There may be any number of consumers: each call of
/// `makeAsyncIterator()` adds one, which gets the value that the subject holds then, and every element that is sent after
/// that: none is missed between the two, and none comes twice. All consumers see the elements in the same order, also
/// where several threads send.
///
/// Without a policy, a consumer's buffer grows as long as the consumer is slower than the senders. A consumer that needs
/// only the newest value takes `.bufferingLatest(1)`.
///
/// The end comes after the buffered elements; a failure comes once for each consumer, and then `nil`. A consumer that is
/// added after the end gets the failure or the end at once, without the value. Releasing the subject ends it for its
/// consumers, since nothing can be sent into it any more.
///
/// - Cancellation: Cancelling the task that waits for an element removes its consumer, drops what it has not delivered,
///   and ends its iteration with `nil`. Releasing an iterator removes its consumer, too. The others stay.
public final class AsyncCurrentValueSubject<Element, Failure: Error>: AsyncSubject {
  @usableFromInline let fanOut: FanOut<Element, Failure>
  @usableFromInline let policy: AsyncSubjectBufferingPolicy

  /// Makes a subject.
  ///
  /// - Parameters:
  ///   - value: The value that it holds first.
  ///   - bufferingPolicy: How many elements are buffered for each consumer.
  @inlinable
  public init(_ value: Element, bufferingPolicy: AsyncSubjectBufferingPolicy = .unbounded) {
    var history = RingBuffer<Element>()
    history.append(value)
    fanOut = FanOut(history: history, historyLimit: 1, replaysAfterEnd: false)
    policy = bufferingPolicy
  }

  deinit {
    fanOut.finish(nil)
  }

  /// The value that was sent last. Setting it sends it; after the end, it keeps its value.
  ///
  /// Reading and then setting it are two steps, between which another thread may send.
  @inlinable
  public var value: Element {
    get { fanOut.newest }
    set { fanOut.send(newValue) }
  }

  /// How many consumers there are.
  public var consumerCount: Int { fanOut.consumerCount }

  /// Holds an element and sends it to all consumers, without waiting for them. After the end, it does nothing.
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

  /// Adds a consumer, which gets the value that the subject holds, and the elements that are sent from now on.
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

extension AsyncCurrentValueSubject: Sendable where Element: Sendable {}
