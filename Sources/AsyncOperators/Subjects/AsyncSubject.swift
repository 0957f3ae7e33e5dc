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

// What Combine's subjects have, and source that comes from there calls.
extension AsyncSubject {
  /// Combine's end of a subject.
  @available(*, unavailable, message: "call finish() for .finished, and finish(throwing:) for .failure")
  public func send(completion: AsyncCompletion<Failure>) {
    fatalError("unavailable")
  }

  /// Combine's sequence of a subject's values.
  @available(*, unavailable, message: "a subject is an asynchronous sequence itself: iterate it without 'values'")
  public var values: Self {
    fatalError("unavailable")
  }
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
