import Combine
import Synchronization

/// What has been asked of a task that pulls from an asynchronous sequence, and who may touch what it shares.
///
/// One word holds everything, so that every decision is one atomic step: neither the task nor those who ask it need a
/// lock. `ended` is final; whoever sets it has to see to the release of what the verdict names.
@usableFromInline
struct PullLedger: ~Copyable {
  /// Nothing more is delivered: completed or cancelled.
  @inlinable static var ended: UInt { 1 << 63 }
  /// The subscriber is being called, and belongs to the task until it returns.
  @inlinable static var delivering: UInt { 1 << 62 }
  /// The task waits for demand.
  @inlinable static var parked: UInt { 1 << 61 }
  /// There is a task.
  @inlinable static var started: UInt { 1 << 60 }
  /// `receive(subscription:)` has returned.
  @inlinable static var open: UInt { 1 << 59 }
  /// Nobody is left who could ask for more.
  @inlinable static var abandoned: UInt { 1 << 58 }
  /// Demand at and above this has no limit; the bits below count it.
  @inlinable static var unlimited: UInt { 1 << 57 }
  @inlinable static var demand: UInt { unlimited | (unlimited - 1) }

  @usableFromInline let word = Atomic<UInt>(0)

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
    demand.max.map { Swift.min(UInt($0), unlimited) } ?? unlimited
  }

  /// What is left of a batch after a value has been delivered and `more` requested.
  @inlinable
  static func settle(_ batch: UInt, _ more: Subscribers.Demand) -> UInt {
    if batch >= unlimited { return batch }
    return more == .none ? batch - 1 : Swift.min(batch - 1 + count(more), unlimited)
  }

  // MARK: For the subscriber's side

  /// The subscriber has requested more.
  @usableFromInline
  borrowing func requested(_ demand: Subscribers.Demand) -> Verdict {
    update { word in
      let sum = Swift.min((word & Self.demand) + Self.count(demand), Self.unlimited)
      word = (word & ~Self.demand) | sum
      return Self.wake(&word)
    }
  }

  /// The subscriber's `receive(subscription:)` has returned, so that others may call it now.
  @usableFromInline
  borrowing func opened() -> Verdict {
    update { word in
      word |= Self.open
      return Self.wake(&word)
    }
  }

  private static func wake(_ word: inout UInt) -> Verdict {
    guard word & demand != 0, word & open != 0 else { return .nothing }
    if word & started == 0 {
      word |= started
      return .start
    }
    guard word & parked != 0 else { return .nothing }
    word &= ~parked
    return .resume
  }

  private borrowing func update(_ change: (inout UInt) -> Verdict) -> Verdict {
    var old = word.load(ordering: .relaxed)
    while true {
      if old & Self.ended != 0 { return .nothing }
      var new = old
      let verdict = change(&new)
      let (exchanged, original) = word.compareExchange(
        expected: old, desired: new, ordering: .acquiringAndReleasing)
      if exchanged { return verdict }
      old = original
    }
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
    end { $0 & Self.demand == 0 && ($0 & Self.started == 0 || $0 & Self.parked != 0) }
  }

  /// Ends if a condition holds, and marks as abandoned otherwise.
  private borrowing func end(if condition: (UInt) -> Bool) -> Ending? {
    var old = word.load(ordering: .relaxed)
    while true {
      if old & Self.ended != 0 { return nil }
      let ends = condition(old)
      let new = ends ? (old | Self.ended) & ~Self.parked : old | Self.abandoned
      let (exchanged, original) = word.compareExchange(
        expected: old, desired: new, ordering: .acquiringAndReleasing)
      guard exchanged else {
        old = original
        continue
      }
      if !ends { return nil }
      return Ending(
        resumes: old & Self.parked != 0, releasesSubscriber: old & Self.delivering == 0,
        releasesIterator: old & Self.started == 0)
    }
  }

  @usableFromInline
  var hasEnded: Bool {
    borrowing get { word.load(ordering: .acquiring) & Self.ended != 0 }
  }

  // MARK: For the task

  /// Takes the demand that has come in; zero where there is none, and after the end, when nothing is to be pulled.
  @inlinable
  borrowing func takeBatch() -> UInt {
    let old = word.bitwiseAnd(~Self.demand, ordering: .acquiring).oldValue
    return old & Self.ended == 0 ? old & Self.demand : 0
  }

  /// The task has stored what wakes it and is about to wait for demand.
  ///
  /// - Returns: Whether it is to wait; not where demand or the end has come in meanwhile, or where neither can.
  @usableFromInline
  borrowing func parks() -> Bool {
    var old = word.load(ordering: .relaxed)
    while true {
      if old & (Self.ended | Self.demand | Self.abandoned) != 0 { return false }
      let (exchanged, original) = word.compareExchange(
        expected: old, desired: old | Self.parked, ordering: .acquiringAndReleasing)
      if exchanged { return true }
      old = original
    }
  }

  /// Whether the task has nothing left to do, for good.
  @usableFromInline
  var isExhausted: Bool {
    borrowing get {
      let word = word.load(ordering: .acquiring)
      return word & Self.ended != 0 || word & (Self.abandoned | Self.demand) == Self.abandoned
    }
  }

  /// Reserves the subscriber for a call.
  ///
  /// - Returns: Whether it may be called.
  @inlinable
  borrowing func beginDelivery() -> Bool {
    let old = word.load(ordering: .relaxed)
    if old & Self.ended != 0 { return false }
    return word.bitwiseOr(Self.delivering, ordering: .acquiringAndReleasing).oldValue & Self.ended == 0
  }

  /// Gives the subscriber back.
  ///
  /// - Returns: Whether the subscription goes on; otherwise, the task releases the subscriber.
  @inlinable
  borrowing func endDelivery() -> Bool {
    word.bitwiseAnd(~Self.delivering, ordering: .acquiringAndReleasing).oldValue & Self.ended == 0
  }

  /// The sequence has ended.
  ///
  /// - Returns: Whether the subscriber is to be told; not where the subscription was cancelled before.
  @usableFromInline
  borrowing func finished() -> Bool {
    word.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue & Self.ended == 0
  }
}
