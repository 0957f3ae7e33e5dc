/// The state of an ``AsyncInbox``: buffered values, or consumers that wait. One of the two queues is always empty.
///
/// - `open`: there may be more values. Followed by `closing` or `ended`.
/// - `closing`: upstream has completed; the buffered values are delivered, then the failure, if any. Followed by
///   `ended`.
/// - `ended`: everything has been delivered, or the inbox was cancelled; all further calls return `nil`.
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

  /// Whether it was cancelled before everything had been delivered.
  @usableFromInline package var isCutOff = false

  @usableFromInline package var buffer = RingBuffer<Element>()
  @usableFromInline package var waiters = RingBuffer<Waiter>()
  @usableFromInline package var failure: Failure?
  @usableFromInline package var upstream: Upstream?

  /// The consumers inside `next()` that have no value yet, whether they wait already or are about to. Counted while
  /// `open`.
  @usableFromInline package var consumers = 0

  /// How many values were requested from upstream and have not arrived; `Int.max` for no limit.
  @usableFromInline package var outstanding: Int

  /// The part of `outstanding` that is still to be requested, because there is no upstream yet.
  @usableFromInline package var unrequested: Int

  /// How many values are requested at a time, when all requested before have been taken.
  @usableFromInline package var batch: Int

  /// How many values may be buffered, and whether the newest or the oldest are dropped when there are more.
  @usableFromInline package var capacity: Int
  @usableFromInline package var keepsOldest: Bool

  /// How many values have been dropped because there were more than `capacity`.
  @usableFromInline package var droppedCount = 0

  /// A machine that requests values when consumers need them, and drops none.
  ///
  /// - Parameter batch: How many to request at a time.
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
  ///   - capacity: How many values to buffer at most.
  ///   - keepsOldest: Whether the newest values are dropped when there are more; otherwise, the oldest are.
  @inlinable
  package init(capacity: Int, keepsOldest: Bool) {
    self.init(batch: 1)
    _ = bufferWithoutDemand(capacity: capacity, keepsOldest: keepsOldest)
  }

  /// Makes a machine that requests values when consumers need them request unlimited values.
  ///
  /// - Parameters:
  ///   - capacity: How many values to buffer at most.
  ///   - keepsOldest: Whether the newest values are dropped when there are more; otherwise, the oldest are.
  /// - Returns: Whether it did: only while `open`, without an upstream, and if it does not request unlimited values
  ///   already.
  @inlinable
  package mutating func bufferWithoutDemand(capacity: Int, keepsOldest: Bool) -> Bool {
    guard phase == .open, upstream == nil, batch != .max else { return false }
    self.capacity = capacity
    self.keepsOldest = keepsOldest
    batch = .max
    outstanding = .max
    unrequested = .max
    return true
  }

  // MARK: Upstream

  /// Upstream has sent its subscription.
  ///
  /// - Returns: How much to request from it now; `nil` if it is to be cancelled.
  @inlinable
  package mutating func linked(_ upstream: Upstream) -> Int? {
    guard phase == .open, self.upstream == nil else { return nil }
    self.upstream = upstream
    let demand = unrequested
    unrequested = 0
    return demand
  }

  /// What the caller does with a value.
  @frozen
  @usableFromInline
  package enum ValueAction: UInt8 {
    case ignore
    case buffer
    case resumeWaiter
    case drop
    case dropOldest
  }

  /// A value has arrived. The value itself is not passed, so that it is never copied into an optional or an enum.
  @inlinable
  package mutating func received() -> ValueAction {
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

  /// Upstream has completed. The caller releases the previous upstream and resumes the previous waiters: the first with
  /// the failure, the others with the end.
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

  /// The inbox was cancelled. The caller cancels the previous upstream and resumes the previous waiters with the end.
  ///
  /// - Parameter count: How many buffered values are still delivered, at most.
  /// - Returns: The other buffered values, which the caller releases without the lock.
  @discardableResult
  @inlinable
  package mutating func cancelled(keeping count: Int = 0) -> RingBuffer<Element> {
    if phase == .open || !buffer.isEmpty || failure != nil { isCutOff = true }
    upstream = nil
    failure = nil
    waiters.removeAll()
    var kept = RingBuffer<Element>()
    while kept.count < count, let element = buffer.popFirst() { kept.append(element) }
    phase = kept.isEmpty ? .ended : .closing
    swap(&kept, &buffer)
    return kept
  }

  // MARK: Consumers

  /// A consumer has found nothing buffered.
  @inlinable
  package mutating func consumerArrived() {
    consumers &+= 1
  }

  /// A consumer that had arrived has taken a value.
  @inlinable
  package mutating func consumerLeft() {
    consumers &-= 1
  }

  /// Counts a request, if more values are needed so that every consumer gets one.
  ///
  /// - Returns: How much to request from upstream now; zero if enough has been requested.
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

  /// All buffered values have been delivered: returns the failure, once.
  @inlinable
  package mutating func takeEnd() -> Failure? {
    phase = .ended
    return failure.take()
  }
}
