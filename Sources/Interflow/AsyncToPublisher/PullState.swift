import Combine
import InterflowPrimitives

/// The state of a task that pulls from an asynchronous sequence: the demand, and which code may use the shared
/// variables.
///
/// Everything is in one word, so that every decision is one atomic step, and neither the task nor the subscriber's side
/// needs a lock. `ended` is final; the code that sets it releases the variables that its ``Ending`` names.
@usableFromInline
struct PullState: ~Copyable {
  /// Completed or cancelled: nothing more is delivered.
  @inlinable static var ended: UInt { PackedDemand.flag(7) }
  /// The task calls the subscriber: only the task may use or release it.
  @inlinable static var delivering: UInt { PackedDemand.flag(6) }
  /// The task waits for demand.
  @inlinable static var parked: UInt { PackedDemand.flag(5) }
  /// The task has been started.
  @inlinable static var started: UInt { PackedDemand.flag(4) }
  /// `receive(subscription:)` has returned.
  @inlinable static var open: UInt { PackedDemand.flag(3) }
  /// The subscription has been released, so that no more can be requested.
  @inlinable static var abandoned: UInt { PackedDemand.flag(2) }

  @usableFromInline let packed = PackedDemand()

  @inlinable
  init() {}

  /// What the caller does.
  @frozen
  @usableFromInline
  enum Action: UInt8 {
    case nothing
    /// Starts the task.
    case start
    /// Resumes the task.
    case resume
  }

  /// A demand as ``PackedDemand`` represents it.
  @inlinable
  static func count(_ demand: Subscribers.Demand) -> UInt {
    demand.max.map(UInt.init) ?? PackedDemand.unlimited
  }

  /// The demand of a batch that is left after the delivery of a value that returned `more`.
  @inlinable
  static func batch(_ batch: UInt, afterValueRequesting more: Subscribers.Demand) -> UInt {
    PackedDemand.afterValue(batch, requesting: more == .none ? 0 : count(more))
  }

  // MARK: The subscriber's side

  /// The subscriber has requested more.
  @usableFromInline
  borrowing func requested(_ demand: Subscribers.Demand) -> Action {
    let more = Self.count(demand)
    return wake { $0 & ~PackedDemand.mask | PackedDemand.sum($0 & PackedDemand.mask, more) }
  }

  /// The subscriber's `receive(subscription:)` has returned, so other signals may be delivered.
  @usableFromInline
  borrowing func opened() -> Action {
    wake { $0 | Self.open }
  }

  /// Changes the word, and starts or resumes the task if it can continue now.
  private borrowing func wake(_ change: (UInt) -> UInt) -> Action {
    var action = Action.nothing
    _ = packed.update { old in
      action = .nothing
      if old & Self.ended != 0 { return nil }
      let word = change(old)
      guard word & PackedDemand.mask != 0, word & Self.open != 0 else { return word }
      if word & Self.started == 0 {
        action = .start
        return word | Self.started
      }
      guard word & Self.parked != 0 else { return word }
      action = .resume
      return word & ~Self.parked
    }
    return action
  }

  /// What the code that has ended the subscription does.
  @usableFromInline
  struct Ending {
    /// Whether to resume the task, which waits for demand, so that it can end.
    @usableFromInline var resumes = false
    /// Whether to release the subscriber. Otherwise the task releases it, when the current call returns.
    @usableFromInline var releasesSubscriber = false
    /// Whether to release the iterator, because the task was not started.
    @usableFromInline var releasesIterator = false
  }

  /// The subscription was cancelled.
  @usableFromInline
  borrowing func cancelled() -> Ending? {
    end { _ in true }
  }

  /// The subscription was released, so nothing more can be requested.
  @usableFromInline
  borrowing func wasAbandoned() -> Ending? {
    end { $0 & PackedDemand.mask == 0 && ($0 & Self.started == 0 || $0 & Self.parked != 0) }
  }

  /// Sets `ended` if a condition holds, and `abandoned` otherwise.
  private borrowing func end(if condition: (UInt) -> Bool) -> Ending? {
    let old = packed.update { old in
      if old & Self.ended != 0 { return nil }
      return condition(old) ? (old | Self.ended) & ~Self.parked : old | Self.abandoned
    }
    guard let old, condition(old) else { return nil }
    return Ending(
      resumes: old & Self.parked != 0, releasesSubscriber: old & Self.delivering == 0,
      releasesIterator: old & Self.started == 0)
  }

  @usableFromInline
  var hasEnded: Bool {
    borrowing get { packed.load() & Self.ended != 0 }
  }

  // MARK: The task

  /// Takes the whole demand; zero if there is none, and if the subscription has ended.
  @inlinable
  borrowing func takeBatch() -> UInt {
    let old = packed.clear(PackedDemand.mask)
    return old & Self.ended == 0 ? old & PackedDemand.mask : 0
  }

  /// The task has stored its continuation and is about to wait for demand.
  ///
  /// - Returns: Whether it waits. Not if there is demand, or the subscription has ended or been released.
  @usableFromInline
  borrowing func parks() -> Bool {
    packed.update { $0 & (Self.ended | PackedDemand.mask | Self.abandoned) == 0 ? $0 | Self.parked : nil } != nil
  }

  /// Whether the task has nothing left to do and will not get anything to do.
  @usableFromInline
  var isExhausted: Bool {
    borrowing get {
      let word = packed.load()
      return word & Self.ended != 0 || word & (Self.abandoned | PackedDemand.mask) == Self.abandoned
    }
  }

  /// The task is about to call the subscriber.
  ///
  /// - Returns: Whether it may.
  @inlinable
  borrowing func beginDelivery() -> Bool {
    if packed.hasFlag(Self.ended) { return false }
    return packed.set(Self.delivering) & Self.ended == 0
  }

  /// The subscriber's call has returned.
  ///
  /// - Returns: Whether the subscription continues. Otherwise the task releases the subscriber.
  @inlinable
  borrowing func endDelivery() -> Bool {
    packed.clear(Self.delivering) & Self.ended == 0
  }

  /// The sequence has ended.
  ///
  /// - Returns: Whether the caller delivers the completion: the subscription was not cancelled before.
  @usableFromInline
  borrowing func finished() -> Bool {
    packed.set(Self.ended) & Self.ended == 0
  }
}
