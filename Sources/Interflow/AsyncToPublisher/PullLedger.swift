import Combine
import InterflowPrimitives

/// What has been asked of a task that pulls from an asynchronous sequence, and who may touch what it shares.
///
/// One word holds everything, so that every decision is one atomic step: neither the task nor those who ask it need a
/// lock. `ended` is final; whoever sets it has to see to the release of what the verdict names.
@usableFromInline
struct PullLedger: ~Copyable {
  /// Nothing more is delivered: completed or cancelled.
  @inlinable static var ended: UInt { PackedDemand.flag(7) }
  /// The subscriber is being called, and belongs to the task until it returns.
  @inlinable static var delivering: UInt { PackedDemand.flag(6) }
  /// The task waits for demand.
  @inlinable static var parked: UInt { PackedDemand.flag(5) }
  /// There is a task.
  @inlinable static var started: UInt { PackedDemand.flag(4) }
  /// `receive(subscription:)` has returned.
  @inlinable static var open: UInt { PackedDemand.flag(3) }
  /// The subscription has been released, so that no more can be requested.
  @inlinable static var abandoned: UInt { PackedDemand.flag(2) }

  @usableFromInline let state = PackedDemand()

  @inlinable
  init() {}

  /// What the one whose request or opening this was has to do.
  @frozen
  @usableFromInline
  enum Verdict: UInt8 {
    case nothing
    case start
    case resume
  }

  /// A demand as it counts here.
  @inlinable
  static func count(_ demand: Subscribers.Demand) -> UInt {
    demand.max.map(UInt.init) ?? PackedDemand.unlimited
  }

  /// What is left of a batch after a value has been delivered and `more` requested.
  @inlinable
  static func batch(_ batch: UInt, afterValueRequesting more: Subscribers.Demand) -> UInt {
    PackedDemand.afterValue(batch, requesting: more == .none ? 0 : count(more))
  }

  // MARK: For the subscriber's side

  /// The subscriber has requested more.
  @usableFromInline
  borrowing func requested(_ demand: Subscribers.Demand) -> Verdict {
    let more = Self.count(demand)
    return wake { $0 & ~PackedDemand.mask | PackedDemand.sum($0 & PackedDemand.mask, more) }
  }

  /// The subscriber's `receive(subscription:)` has returned, so that others may call it now.
  @usableFromInline
  borrowing func opened() -> Verdict {
    wake { $0 | Self.open }
  }

  /// Changes the word, and decides whether the task begins or goes on because of that.
  private borrowing func wake(_ change: (UInt) -> UInt) -> Verdict {
    var verdict = Verdict.nothing
    _ = state.update { old in
      verdict = .nothing
      if old & Self.ended != 0 { return nil }
      let word = change(old)
      guard word & PackedDemand.mask != 0, word & Self.open != 0 else { return word }
      if word & Self.started == 0 {
        verdict = .start
        return word | Self.started
      }
      guard word & Self.parked != 0 else { return word }
      verdict = .resume
      return word & ~Self.parked
    }
    return verdict
  }

  /// What the one who ended the subscription has to do.
  @usableFromInline
  struct Ending {
    /// Whether there is a task that waits for demand, to be woken so that it can end.
    @usableFromInline var resumes = false
    /// Whether the subscriber is to be released here; otherwise, the task does so when it returns from it.
    @usableFromInline var releasesSubscriber = false
    /// Whether the iterator is to be released here, because there will be no task.
    @usableFromInline var releasesIterator = false
  }

  /// The subscription is cancelled.
  @usableFromInline
  borrowing func cancelled() -> Ending? {
    end { _ in true }
  }

  /// Nobody holds the subscription any more, so that no more can be requested.
  @usableFromInline
  borrowing func wasAbandoned() -> Ending? {
    end { $0 & PackedDemand.mask == 0 && ($0 & Self.started == 0 || $0 & Self.parked != 0) }
  }

  /// Ends if a condition holds, and marks as abandoned otherwise.
  private borrowing func end(if condition: (UInt) -> Bool) -> Ending? {
    let old = state.update { old in
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
    borrowing get { state.load() & Self.ended != 0 }
  }

  // MARK: For the task

  /// Takes the demand that has come in; zero where there is none, and after the end, when nothing is to be pulled.
  @inlinable
  borrowing func takeBatch() -> UInt {
    let old = state.clear(PackedDemand.mask)
    return old & Self.ended == 0 ? old & PackedDemand.mask : 0
  }

  /// The task has stored what wakes it and is about to wait for demand.
  ///
  /// - Returns: Whether it is to wait; not where demand or the end has come in meanwhile, or where neither can.
  @usableFromInline
  borrowing func parks() -> Bool {
    state.update { $0 & (Self.ended | PackedDemand.mask | Self.abandoned) == 0 ? $0 | Self.parked : nil } != nil
  }

  /// Whether the task has nothing left to do, for good.
  @usableFromInline
  var isExhausted: Bool {
    borrowing get {
      let word = state.load()
      return word & Self.ended != 0 || word & (Self.abandoned | PackedDemand.mask) == Self.abandoned
    }
  }

  /// Reserves the subscriber for a call.
  ///
  /// - Returns: Whether it may be called.
  @inlinable
  borrowing func beginDelivery() -> Bool {
    if state.hasFlag(Self.ended) { return false }
    return state.set(Self.delivering) & Self.ended == 0
  }

  /// Gives the subscriber back.
  ///
  /// - Returns: Whether the subscription goes on; otherwise, the task releases the subscriber.
  @inlinable
  borrowing func endDelivery() -> Bool {
    state.clear(Self.delivering) & Self.ended == 0
  }

  /// The sequence has ended.
  ///
  /// - Returns: Whether the completion is to be delivered; not where the subscription was cancelled before.
  @usableFromInline
  borrowing func finished() -> Bool {
    state.set(Self.ended) & Self.ended == 0
  }
}
