/// A value to be delivered, and the task that waits for its delivery. Guarded by the channel's lock: everything.
///
/// Neither this nor the code that delivers is generic over the value's type, so that none of it runs unspecialised.
@usableFromInline
class AsyncChannelSender {
  /// How a call of `send` has ended.
  enum Outcome {
    case delivered
    case withdrawn
  }

  /// Why the waiting task is resumed.
  enum Wake {
    case ended(Outcome)
    /// Its value can be delivered next: the task delivers it.
    case deliver
  }

  /// Whether it is still in the queue, and has not been withdrawn.
  final var isWaiting = true
  /// Whether its task was cancelled while its value was being delivered.
  final var isCancelled = false
  final var outcome: Outcome?
  final var waiter: UnsafeContinuation<Wake, Never>?

  init() {}

  /// Takes the value out, for the caller to release without the lock.
  func takePayload() -> Any? { nil }
}

/// The sender of a value of one type.
@usableFromInline
final class AsyncChannelSenderOf<Output>: AsyncChannelSender {
  @usableFromInline var value: Output?

  init(_ value: Output) {
    self.value = value
  }

  override func takePayload() -> Any? { value.take() }
}
