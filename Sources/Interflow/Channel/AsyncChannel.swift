import Combine
import InterflowPrimitives

/// A publisher into which async code sends values, as fast as the subscribers take them.
///
/// ``send(_:)`` suspends until there is a subscriber and every subscriber has demand, delivers to all, and
/// returns, so no value is lost and none is buffered. Suspended senders queue in the order of their calls.
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
/// It is the answer to a producer that is faster than its consumer: a `PassthroughSubject` drops values for which there
/// is no demand, a channel suspends the producer. If the producer cannot be suspended, because it is not async, make
/// the sequence with ``Combine/Publisher/asyncStream(bufferingPolicy:)`` before it begins: that keeps everything sent
/// from then on.
///
/// A subscriber receives the values that are delivered after it subscribed. Senders no longer wait for one that has
/// cancelled; when the last one has cancelled, they wait for the next.
///
/// - Thread: Signals come one at a time, from whichever thread made the round possible: a sender's or a subscriber's.
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
  /// - Cancellation: Cancelling the suspended task ends this call alone, and its value is not delivered; the
  ///   channel and other senders go on. Once delivery has begun it is finished, and the call returns.
  /// - Throws: `CancellationError` where the task is cancelled first; ``AsyncChannelError/finished`` where the
  ///   completion has been sent before.
  public nonisolated(nonsending) func send(_ value: Output) async throws {
    let sender = AsyncChannelSenderOf(value)
    if try storage.send(sender) { return }
    // Handed over to whoever runs the round; this task only waits for it.
    if await storage.outcome(of: UncheckedTransfer(sender)) == .withdrawn { throw CancellationError() }
  }

  /// Completes every subscriber, as soon as the values of the suspended senders have been delivered.
  ///
  /// Returns at once. A value that is sent after it throws; a second completion is ignored; a subscriber that
  /// subscribes after the completion receives it too.
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
  /// - Throws: `CancellationError` where the task is cancelled first; ``AsyncChannelError/finished`` where the
  ///   completion has been sent before.
  public nonisolated(nonsending) func send() async throws {
    try await send(())
  }
}
