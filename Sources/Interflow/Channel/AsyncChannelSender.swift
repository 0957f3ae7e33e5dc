/// A value on its way and the task that waits for its delivery. Guarded by the channel's lock: everything.
///
/// Nothing here, nor in what runs the rounds, depends on the value's type, so that none of it runs unspecialised.
@usableFromInline
class AsyncChannelSender {
  /// How a send has ended.
  enum Outcome {
    case delivered
    case withdrawn
  }

  /// Why the task that waits goes on.
  enum Wake {
    case ended(Outcome)
    /// Its value can go out next, and it is to see to that.
    case turn
  }

  /// Whether it is still in the queue.
  final var isWaiting = true
  final var outcome: Outcome?
  final var waiter: UnsafeContinuation<Wake, Never>?

  init() {}

  /// Lets go of the value, which the caller releases once the lock is free.
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
