import Combine
import InterflowPrimitives

/// A publisher into which async code sends values, as fast as the subscribers take them.
///
/// ``send(_:)`` waits until there is a subscriber and every subscriber has asked for a value, delivers to all, and
/// returns, so nothing is lost and nothing piles up. Senders that wait queue in the order in which they came.
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
/// It is the answer to a producer that is faster than its consumer: a `PassthroughSubject` drops what nobody has asked
/// for yet, a channel makes the producer wait. Where it cannot wait, because it is not async, make the sequence with
/// ``Combine/Publisher/asyncStream(bufferingPolicy:)`` before it begins: that keeps everything sent from then on.
///
/// A subscriber gets what goes out after it joined. One that cancels is not waited for any more; when the last one has
/// left, senders wait for the next.
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

  /// Waits until there is a subscriber and all of them want a value, and delivers this one to all.
  ///
  /// - Cancellation: Cancelling the task while it waits ends this call alone, and its value is not delivered; the
  ///   channel and other senders go on. Once delivery has begun it is finished, and the call returns.
  /// - Throws: `CancellationError` where the task is cancelled first; ``AsyncChannelError/finished`` where the
  ///   completion has been sent before.
  public nonisolated(nonsending) func send(_ value: Output) async throws {
    let sender = AsyncChannelSenderOf(value)
    if try storage.send(sender) { return }
    // Handed over to whoever runs the round; this task only waits for it.
    if await storage.outcome(of: UncheckedTransfer(sender)) == .withdrawn { throw CancellationError() }
  }

  /// Completes every subscriber, as soon as the values that wait already have gone out.
  ///
  /// Returns at once. What is sent after it is refused; a second completion is ignored; a subscriber that comes after
  /// the completion has gone out gets it too.
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
  /// Waits until there is a subscriber and all of them want to be told, and tells all.
  ///
  /// - Throws: `CancellationError` where the task is cancelled first; ``AsyncChannelError/finished`` where the
  ///   completion has been sent before.
  public nonisolated(nonsending) func send() async throws {
    try await send(())
  }
}
