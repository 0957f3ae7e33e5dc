import Combine
import InterflowPrimitives

/// What waits to be delivered on an actor, and whether somebody is on the way there to do so.
///
/// - `waiting`: there is no upstream yet.
/// - `linked`: upstream sends.
/// - `closing`: upstream has completed; what waits goes out first, then the completion.
/// - `ended`: the completion has gone out, or the subscription was cancelled.
///
/// Values count in all phases but the last two, so that a peer that sends before its subscription loses none.
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

  /// What a delivery that has reached the actor has to do next.
  @frozen
  @usableFromInline
  enum Step: UInt8 {
    case rest
    case values
    case completion
  }

  @usableFromInline var phase = Phase.waiting
  @usableFromInline var pending = RingBuffer<Input>()
  @usableFromInline var completion: Subscribers.Completion<Failure>?

  /// Whether a delivery is under way, so that none has to be started for what comes.
  @usableFromInline var isDelivering = false

  @inlinable
  init() {}

  // MARK: Upstream

  /// Upstream has introduced itself.
  ///
  /// - Returns: Whether it is wanted; otherwise, it is to be cancelled.
  mutating func linked() -> Bool {
    guard phase == .waiting else { return false }
    phase = .linked
    return true
  }

  /// Whether a value that has come is to be kept.
  @inlinable var isOpen: Bool { phase == .waiting || phase == .linked }

  /// Something was put where the actor will find it.
  ///
  /// - Returns: Whether a delivery is to be started.
  @inlinable
  mutating func startsDelivery() -> Bool {
    if isDelivering { return false }
    isDelivering = true
    return true
  }

  /// Upstream has completed.
  ///
  /// - Returns: Whether a delivery is to be started.
  mutating func completed(_ completion: Subscribers.Completion<Failure>) -> Bool {
    guard isOpen else { return false }
    phase = .closing
    self.completion = completion
    return startsDelivery()
  }

  // MARK: The actor

  /// A delivery has reached the actor, or has made one batch's calls.
  ///
  /// - Parameter batch: Empty; takes the values that wait.
  @inlinable
  mutating func takesBatch(_ batch: inout RingBuffer<Input>) -> Step {
    if !pending.isEmpty {
      swap(&batch, &pending)
      return .values
    }
    isDelivering = false
    guard phase == .closing else { return .rest }
    phase = .ended
    return .completion
  }

  // MARK: The subscriber

  /// The subscription is cancelled. The caller keeps the old machine until the lock is free.
  mutating func cancelled() {
    phase = .ended
    pending.removeAll()
    completion = nil
  }
}
