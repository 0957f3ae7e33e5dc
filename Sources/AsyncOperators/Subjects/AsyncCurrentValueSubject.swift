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
  /// Reading and then setting it are two steps, between which another thread may send; ``update(_:)`` makes one of them.
  @inlinable
  public var value: Element {
    get { fanOut.newest }
    set { fanOut.send(newValue) }
  }

  /// Changes the value and sends it, in one step: no element that another thread sends meanwhile is lost.
  ///
  /// ```swift
  /// let counter = AsyncCurrentValueSubject<Int, Never>(0)
  /// counter.update { $0 += 1 }
  /// print(counter.value)  // 1
  /// ```
  ///
  /// No lock is held while the closure runs. If another thread sends meanwhile, the closure is called again, with the
  /// value that the subject holds then, and what it did before is dropped. So it must have no effect but on its parameter,
  /// and must not send into the subject, which would repeat it for ever. If it throws, nothing is sent. After the end, the
  /// subject keeps its value.
  ///
  /// - Parameter change: Changes the value.
  @inlinable
  @discardableResult
  public func update<ClosureFailure: Error>(
    _ change: (inout Element) throws(ClosureFailure) -> Void
  ) throws(ClosureFailure) -> AsyncSubjectDelivery {
    while true {
      var (value, count) = fanOut.newestAndSentCount
      try change(&value)
      if let delivery = fanOut.send(value, unlessSentSince: count) { return delivery }
    }
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
