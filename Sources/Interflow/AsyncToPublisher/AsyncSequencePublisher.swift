import Combine

/// A publisher of the elements of an asynchronous sequence.
///
/// Each subscriber gets an iterator of its own, made when it subscribes, and a task of its own, started by its first
/// request, that pulls elements and delivers them.
///
/// - Demand: No element is pulled before there is demand for it; the end, which is found by pulling, is reported with
///   the demand after the last element.
/// - Thread: Signals come from the task, one at a time. The sequence need not be `Sendable`, but it is iterated outside
///   any actor, so what it shares with others must allow that.
/// - Cancellation: Cancels the task at once, whether it waits for demand or for an element. Nothing is delivered after
///   it. A `CancellationError` that the sequence throws without having been cancelled is a failure like any other.
@frozen
public struct AsyncSequencePublisher<Elements: AsyncSequence>: Publisher {
  /// The kind of values that the publisher delivers.
  public typealias Output = Elements.Element
  /// The sequence's own failure: `Never`, an error's type, or `any Error`.
  public typealias Failure = Elements.Failure

  /// The sequence whose elements are delivered.
  public let sequence: Elements

  /// The priority of the tasks that pull; `nil` for that of the task whose request starts them.
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
  /// A publisher of the elements of this sequence, which pulls them as its subscribers ask for them.
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

  /// A publisher of the elements of this sequence, whose tasks have a priority of their own.
  ///
  /// - Parameter priority: The priority of the tasks that pull, one for each subscriber; `nil` for that of the task
  ///   whose request starts them.
  @inlinable
  public func publisher(priority: TaskPriority?) -> AsyncSequencePublisher<Self> {
    AsyncSequencePublisher(self, priority: priority)
  }
}
