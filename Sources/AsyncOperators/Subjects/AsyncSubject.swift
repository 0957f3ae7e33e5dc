/// An asynchronous sequence into which code outside it sends elements, for any number of consumers.
///
/// ```swift
/// func report(_ value: Int, to subject: some AsyncSubject<Int, Never>) {
///   subject.send(value)
/// }
/// ```
///
/// `multicast(_:)` sends the elements of another sequence into one.
public protocol AsyncSubject<Element, Failure>: AnyObject, AsyncSequence {
  /// Sends an element to all consumers. It does not wait for them.
  ///
  /// - Returns: How many consumers there are, and how many of them lose an element by this.
  @discardableResult
  func send(_ element: Element) -> AsyncSubjectDelivery

  /// Ends the sequence for all consumers. Elements that were sent before are delivered first.
  func finish()

  /// Ends the sequence with a failure for all consumers. Elements that were sent before are delivered first.
  func finish(throwing failure: Failure)
}

/// What a subject did with an element.
///
/// ```swift
/// let subject = AsyncPassthroughSubject<Int, Never>(bufferingPolicy: .bufferingLatest(1))
/// let consumer = subject.makeAsyncIterator()
/// subject.send(1)
/// print(subject.send(2).droppedCount)  // 1
/// print(consumer.droppedCount)  // 1
/// ```
@frozen
public struct AsyncSubjectDelivery: Sendable, Equatable {
  /// How many consumers there were.
  public let consumerCount: Int

  /// For how many of them an element was dropped, the one sent or an older one, since their buffers were full.
  public let droppedCount: Int

  /// Whether the subject had ended before. The element was ignored then.
  public let wasFinished: Bool

  @inlinable
  init(consumerCount: Int, droppedCount: Int, wasFinished: Bool = false) {
    self.consumerCount = consumerCount
    self.droppedCount = droppedCount
    self.wasFinished = wasFinished
  }
}
