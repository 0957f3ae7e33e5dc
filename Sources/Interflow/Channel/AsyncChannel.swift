import Combine
import InterflowPrimitives

/// A publisher into which async code sends values, and which suspends the senders until there is demand.
///
/// ``send(_:)`` suspends until there is a subscriber and every subscriber has demand, delivers the value to all, and
/// returns. So no value is dropped and none is buffered. Suspended senders are served in the order of their calls.
///
/// ```swift
/// let channel = AsyncChannel<Int, Never>()
/// Task {
///   for number in 1...3 { try await channel.send(number) }
///   channel.send(completion: .finished)
/// }
/// for await number in channel.asyncValues {
///   print(number)  // 1, 2, 3
/// }
/// ```
///
/// Use it for a producer that is faster than its consumer: a `PassthroughSubject` drops values for which there is no
/// demand, a channel suspends the producer. If the producer cannot be suspended, because it is not async, make the
/// sequence with ``Combine/Publisher/asyncStream(bufferingPolicy:)`` before it begins: that buffers everything sent
/// from then on.
///
/// A subscriber receives the values that are delivered after it has subscribed.
///
/// - Demand: A value is delivered when every subscriber has demand for it. A request for no values traps.
/// - Thread: One signal at a time, on the thread whose call made the delivery possible: a sender's or a subscriber's.
///   If several values can be delivered, the task of the next waiting sender continues after each of them, on its own
///   executor.
/// - Cancellation: Senders do not wait for a subscriber that has cancelled. When the last one has cancelled, they wait
///   for the next. So does a value whose turn had come, if no subscriber has received it. A subscriber that cancels on
///   another thread may be receiving a value just then: its `receive(_:)` is called, and the value counts as delivered,
///   whether or not the subscriber ignores it. Only `asyncValues`, `asyncStream()` and `firstValue()`, if they
///   subscribe to the channel itself, tell it that they have ignored a value, which then waits, too.
public final class AsyncChannel<Output, Failure: Error>: Publisher {
  @usableFromInline let storage = AsyncChannelStorage()

  /// Makes a channel without subscribers.
  public init() {}

  deinit {
    storage.abandon()
  }

  var senderCount: Int { storage.senderCount }

  /// Suspends until there is a subscriber and all of them have demand, and delivers the value to all.
  ///
  /// - Cancellation: Cancelling the suspended task ends only this call, and its value is not delivered. A delivery that
  ///   has begun is completed, and the call returns.
  /// - Throws: `CancellationError` if the task is cancelled first; ``AsyncChannelError/finished`` if the completion has
  ///   been sent before.
  public nonisolated(nonsending) func send(_ value: Output) async throws {
    let sender = AsyncChannelSenderOf(value)
    if try storage.send(sender) { return }
    // The thread that delivers owns the sender now; this task only waits.
    if await storage.outcome(of: UncheckedTransfer(sender)) == .withdrawn { throw CancellationError() }
  }

  /// Sends the completion to every subscriber, after the values of the suspended senders have been delivered.
  ///
  /// Returns at once. Sending a value after this throws; a second completion is ignored. A later subscriber receives
  /// the completion, too.
  public func send(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: storage.send(completion: .finished)
    case .failure(let error): storage.send(completion: .failure(error))
    }
  }

  /// Attaches a subscriber, for which senders wait from now on.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    storage.join(AsyncChannelMember(storage, AsyncChannelMember.Downstream(subscriber))) {
      subscriber.receive(subscription: $0)
    }
  }
}

extension AsyncChannel: Sendable where Output: Sendable {}

extension AsyncChannel where Output == Void {
  /// Suspends until there is a subscriber and all of them have demand, and delivers `()` to all.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first; ``AsyncChannelError/finished`` if the completion has
  ///   been sent before.
  public nonisolated(nonsending) func send() async throws {
    try await send(())
  }
}
