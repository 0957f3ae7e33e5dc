/// Where values wait for consumers, or consumers for values: one of the two queues is always empty.
///
/// - `open`: there may be more values.
/// - `closing`: upstream has completed; what is buffered goes out first, then the failure, if there is one.
/// - `ended`: everything has gone out or has been cancelled; there is nothing but `nil` from here on.
///
/// `open` leads to `closing` or `ended`, `closing` to `ended`.
@frozen
@usableFromInline
package struct AsyncInboxStateMachine<Element, Failure: Error, Upstream, Waiter> {
  @frozen
  @usableFromInline
  package enum Phase: UInt8 {
    case open
    case closing
    case ended
  }

  @usableFromInline package var phase = Phase.open
  @usableFromInline package var buffer = RingBuffer<Element>()
  @usableFromInline package var waiters = RingBuffer<Waiter>()
  @usableFromInline package var failure: Failure?
  @usableFromInline package var upstream: Upstream?

  /// The consumers inside `next()` that found nothing yet, whether they wait already or are about to. Counts while
  /// open.
  @usableFromInline package var consumers = 0

  /// How many values were requested from upstream and have not arrived; `Int.max` where there is no limit.
  @usableFromInline package var outstanding: Int

  /// The part of `outstanding` that is still to be requested, because there is no upstream yet.
  @usableFromInline package var unrequested: Int

  /// How many values are requested when nothing is left of those before.
  @usableFromInline package var batch: Int

  /// How many values may be buffered, and which go when there are more.
  @usableFromInline package var capacity: Int
  @usableFromInline package var keepsOldest: Bool

  /// How many values have been dropped because there were more than `capacity`.
  @usableFromInline package var droppedCount = 0

  /// A machine that requests values as consumers want them, and loses none.
  ///
  /// - Parameter batch: How many at a time.
  @inlinable
  package init(batch: Int) {
    self.batch = batch
    capacity = .max
    keepsOldest = true
    outstanding = 0
    unrequested = 0
  }

  /// A machine that requests unlimited values, as soon as it has an upstream.
  ///
  /// - Parameters:
  ///   - capacity: How many to keep.
  ///   - keepsOldest: Whether it is the newest that go when there are more.
  @inlinable
  package init(capacity: Int, keepsOldest: Bool) {
    self.init(batch: 1)
    _ = keepValues(capacity: capacity, keepsOldest: keepsOldest)
  }

  /// Turns a machine that requests values as consumers want them into one that requests without limit.
  ///
  /// - Parameters:
  ///   - capacity: How many to keep.
  ///   - keepsOldest: Whether it is the newest that go when there are more.
  /// - Returns: Whether it did: it has no upstream yet that was asked otherwise, and keeps no values by other rules.
  @inlinable
  package mutating func keepValues(capacity: Int, keepsOldest: Bool) -> Bool {
    guard phase == .open, upstream == nil, batch != .max else { return false }
    self.capacity = capacity
    self.keepsOldest = keepsOldest
    batch = .max
    outstanding = .max
    unrequested = .max
    return true
  }

  // MARK: Upstream

  /// Upstream has introduced itself.
  ///
  /// - Returns: How much to request from it now; `nil` where it is not wanted and is to be cancelled.
  @inlinable
  package mutating func linked(_ upstream: Upstream) -> Int? {
    guard phase == .open, self.upstream == nil else { return nil }
    self.upstream = upstream
    let demand = unrequested
    unrequested = 0
    return demand
  }

  /// What is to be done with a value.
  @frozen
  @usableFromInline
  package enum Verdict: UInt8 {
    case ignore
    case buffer
    case resumeWaiter
    case drop
    case dropOldest
  }

  /// A value has come. The caller does what the verdict says, so that no value travels through an optional.
  @inlinable
  package mutating func received() -> Verdict {
    guard phase == .open else { return .ignore }
    if outstanding != .max, outstanding > 0 { outstanding &-= 1 }
    if !waiters.isEmpty {
      consumers &-= 1
      return .resumeWaiter
    }
    if buffer.count < capacity { return .buffer }
    droppedCount &+= 1
    return keepsOldest || capacity == 0 ? .drop : .dropOldest
  }

  /// Upstream has completed. The caller releases the old upstream and resumes the old waiters: the first with the
  /// failure, the others with the end.
  @inlinable
  package mutating func completed(_ failure: Failure?) {
    guard phase == .open else { return }
    upstream = nil
    if waiters.isEmpty {
      phase = .closing
      self.failure = failure
    } else {
      phase = .ended
      waiters.removeAll()
    }
  }

  /// The consumer's side has lost interest. The caller cancels the old upstream and resumes the old waiters with the
  /// end.
  @inlinable
  package mutating func cancelled() {
    phase = .ended
    upstream = nil
    failure = nil
    buffer.removeAll()
    waiters.removeAll()
  }

  // MARK: Consumers

  /// A consumer has found nothing buffered, and the machine open.
  @inlinable
  package mutating func consumerArrived() {
    consumers &+= 1
  }

  /// A consumer that had arrived leaves with what it found.
  @inlinable
  package mutating func consumerLeft() {
    consumers &-= 1
  }

  /// What has to be requested so that every consumer gets a value.
  ///
  /// - Returns: How much to request from upstream now; zero where all that is needed has been requested.
  @inlinable
  package mutating func takeDemand() -> Int {
    guard outstanding < consumers else { return 0 }
    outstanding &+= batch
    if upstream == nil {
      unrequested &+= batch
      return 0
    }
    return batch
  }

  /// Everything buffered has gone out: gives out the failure, once.
  @inlinable
  package mutating func takeEnd() -> Failure? {
    phase = .ended
    return failure.take()
  }
}
