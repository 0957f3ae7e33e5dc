import Combine
import InterflowPrimitives

/// The values to be delivered on an actor, and whether a delivery has been started.
///
/// - `waiting`: there is no upstream yet.
/// - `linked`: upstream sends.
/// - `closing`: upstream has completed; the buffered values are delivered first, then the completion.
/// - `ended`: the completion has been delivered, or the subscription was cancelled.
///
/// Values are accepted while `waiting`, too, so that those of a publisher that sends before its subscription are not
/// lost.
@frozen
@usableFromInline
struct IsolatedSinkStateMachine<Input, Failure: Error> {
  @frozen
  @usableFromInline
  enum Phase: UInt8 {
    case waiting
    case linked
    case closing
    case ended
  }

  /// What a delivery on the actor does next.
  @frozen
  @usableFromInline
  enum Step: UInt8 {
    case stop
    case values
    case completion
  }

  @usableFromInline var phase = Phase.waiting
  @usableFromInline var pending = RingBuffer<Input>()
  @usableFromInline var completion: Subscribers.Completion<Failure>?

  /// Whether a delivery has been started and has not ended.
  @usableFromInline var isDelivering = false

  @inlinable
  init() {}

  // MARK: Upstream

  /// Upstream has sent its subscription.
  ///
  /// - Returns: Whether it is linked; otherwise, the caller cancels it.
  mutating func linked() -> Bool {
    guard phase == .waiting else { return false }
    phase = .linked
    return true
  }

  /// Whether values are accepted.
  @inlinable var isOpen: Bool { phase == .waiting || phase == .linked }

  /// A value or the completion was added.
  ///
  /// - Returns: Whether the caller starts a delivery.
  @inlinable
  mutating func beginsDelivery() -> Bool {
    if isDelivering { return false }
    isDelivering = true
    return true
  }

  /// Upstream has completed.
  ///
  /// - Returns: Whether the caller starts a delivery.
  mutating func completed(_ completion: Subscribers.Completion<Failure>) -> Bool {
    guard isOpen else { return false }
    phase = .closing
    self.completion = completion
    return beginsDelivery()
  }

  // MARK: The actor

  /// A delivery has begun on the actor, or has delivered a batch.
  ///
  /// - Parameter batch: Empty; receives the buffered values.
  @inlinable
  mutating func takeBatch(_ batch: inout RingBuffer<Input>) -> Step {
    if !pending.isEmpty {
      swap(&batch, &pending)
      return .values
    }
    isDelivering = false
    guard phase == .closing else { return .stop }
    phase = .ended
    return .completion
  }

  // MARK: The subscriber

  /// The subscription was cancelled. The caller releases the previous state without the lock.
  mutating func cancelled() {
    phase = .ended
    pending.removeAll()
    completion = nil
  }
}
