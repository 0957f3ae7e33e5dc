import Combine

/// A publisher of the elements of an asynchronous sequence.
///
/// Each subscriber gets an iterator of its own, made when it subscribes, and a task of its own, started by its first
/// request, that pulls elements and delivers them.
///
/// - Demand: No element is pulled before there is demand for it. The completion needs demand, too: the end of the
///   sequence is found by an attempt to pull one more element.
/// - Thread: Signals are delivered from the task, one at a time. The sequence need not be `Sendable`, but it is
///   iterated outside any actor, so state that it shares with other code must be safe to use from there.
/// - Cancellation: Cancels the task at once, also while it waits for demand or for an element. Nothing is delivered
///   afterwards. A `CancellationError` that the sequence throws without a cancellation is an ordinary failure.
@frozen
public struct AsyncSequencePublisher<Elements: AsyncSequence>: Publisher {
  /// The kind of values that the publisher delivers.
  public typealias Output = Elements.Element
  /// The failure of the sequence.
  public typealias Failure = Elements.Failure

  /// The sequence whose elements are delivered.
  public let sequence: Elements

  /// The priority of the tasks that pull elements; `nil` for the priority of the task that makes the first request.
  public let priority: TaskPriority?

  /// Makes a publisher of the elements of an asynchronous sequence.
  @inlinable
  public init(_ sequence: Elements, priority: TaskPriority? = nil) {
    self.sequence = sequence
    self.priority = priority
  }

  /// Attaches a subscriber.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let storage = AsyncSequenceStorage<Elements, S>(
      iterator: sequence.makeAsyncIterator(), downstream: subscriber, priority: priority)
    subscriber.receive(subscription: AsyncSequenceSubscription(storage))
    storage.open()
  }
}

extension AsyncSequencePublisher: Sendable where Elements: Sendable {}

extension AsyncSequence {
  /// A publisher of the elements of this sequence, which pulls them when its subscribers request them.
  ///
  /// ```swift
  /// let numbers = AsyncStream<Int> { continuation in
  ///   for number in 1...3 { continuation.yield(number) }
  ///   continuation.finish()
  /// }
  /// let cancellable = numbers.publisher
  ///   .sink { print($0) } receiveValue: { print($0) }  // 1, 2, 3, finished
  /// ```
  @inlinable
  public var publisher: AsyncSequencePublisher<Self> {
    AsyncSequencePublisher(self)
  }

  /// A publisher of the elements of this sequence, whose tasks have a given priority.
  ///
  /// - Parameter priority: The priority of the tasks that pull elements, one for each subscriber; `nil` for the
  ///   priority of the task that makes the first request.
  @inlinable
  public func publisher(priority: TaskPriority?) -> AsyncSequencePublisher<Self> {
    AsyncSequencePublisher(self, priority: priority)
  }
}
