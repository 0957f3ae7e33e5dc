import InterflowPrimitives

/// A subject that sends each element to the consumers that it has at that moment.
///
/// ```swift
/// let taps = AsyncPassthroughSubject<Int, Never>()
/// var consumer = taps.makeAsyncIterator()
/// taps.send(1)
/// taps.finish()
/// while let tap = await consumer.next() {
///   print(tap)  // 1
/// }
/// ```
///
/// Any thread may send, and no `send(_:)` waits for a consumer. There may be any number of consumers: each call of
/// `makeAsyncIterator()` adds one, which gets every element that is sent after that call has returned. A consumer has a
/// buffer of its own. All consumers see the elements in the same order, also where several threads send.
///
/// Without a policy, a buffer grows as long as its consumer is slower than the senders: nothing is lost.
/// `values(bufferingPolicy:)` gives single consumers another policy than the subject's.
///
/// The end comes after the buffered elements; a failure comes once for each consumer, and then `nil`. A consumer that is
/// added after the end gets the failure or the end at once. Releasing the subject ends it for its consumers, since
/// nothing can be sent into it any more.
///
/// - Cancellation: Cancelling the task that waits for an element removes its consumer, drops what it has not delivered,
///   and ends its iteration with `nil`. Releasing an iterator removes its consumer, too. The others stay.
public final class AsyncPassthroughSubject<Element, Failure: Error>: AsyncSubject {
  @usableFromInline let fanOut: FanOut<Element, Failure>
  @usableFromInline let policy: AsyncSubjectBufferingPolicy

  /// Makes a subject.
  ///
  /// - Parameter bufferingPolicy: How many elements are buffered for each consumer.
  @inlinable
  public init(bufferingPolicy: AsyncSubjectBufferingPolicy = .unbounded) {
    fanOut = FanOut(historyLimit: 0, replaysAfterEnd: false)
    policy = bufferingPolicy
  }

  deinit {
    fanOut.finish(nil)
  }

  /// How many consumers there are.
  public var consumerCount: Int { fanOut.consumerCount }

  /// Sends an element to all consumers, without waiting for them. After the end, it does nothing.
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

  /// Adds a consumer, which gets the elements that are sent from now on.
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

extension AsyncPassthroughSubject: Sendable where Element: Sendable {}

extension AsyncPassthroughSubject where Element == Void {
  /// Sends the empty value.
  @discardableResult
  public func send() -> AsyncSubjectDelivery {
    send(())
  }
}
