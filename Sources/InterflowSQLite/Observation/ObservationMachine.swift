import InterflowPrimitives

/// When an observed query runs, and what is delivered. A state machine, without threads.
///
/// The query runs when there is demand and what it reads may have changed; at first, that is unknown. What is committed
/// while it runs, or while its result is being delivered, makes it run once more afterwards.
struct ObservationMachine {
  enum Phase {
    /// `receive(subscription:)` of the subscriber has not returned.
    case opening
    /// Nothing runs.
    case idle
    /// The query runs, or its result is looked at.
    case fetching
    /// The subscriber is being called.
    case delivering
    /// Completed or cancelled.
    case over
  }

  private(set) var phase = Phase.opening
  private(set) var demand: UInt = 0
  /// Whether the result that was fetched last may be out of date.
  private(set) var isOutdated = true
  /// What the last query has read.
  private var region = Region()
  /// What has been committed while the query runs.
  private var writtenMeanwhile = Region()
  /// Whether the subscription has been released, so that nothing more can be requested.
  private var isAbandoned = false

  enum Action {
    case nothing
    /// Run the query.
    case fetch
    /// Nothing more will be delivered: release everything.
    case end
  }

  private mutating func next() -> Action {
    guard phase == .idle else { return .nothing }
    if demand > 0, isOutdated {
      phase = .fetching
      writtenMeanwhile = Region()
      return .fetch
    }
    if demand == 0, isAbandoned {
      phase = .over
      return .end
    }
    return .nothing
  }

  // MARK: The subscriber

  mutating func opened() -> Action {
    guard phase == .opening else { return .nothing }
    phase = .idle
    return next()
  }

  mutating func requested(_ more: UInt) -> Action {
    guard phase != .over else { return .nothing }
    demand = PackedDemand.sum(demand, more)
    return next()
  }

  /// The subscription has been released.
  mutating func abandoned() -> Action {
    isAbandoned = true
    return next()
  }

  /// - Returns: Whether it was not over before.
  mutating func ended() -> Bool {
    guard phase != .over else { return false }
    phase = .over
    return true
  }

  // MARK: The database

  /// A transaction has been committed.
  mutating func committed(_ written: Region) -> Action {
    switch phase {
    case .over: return .nothing
    case .fetching: writtenMeanwhile.formUnion(written)
    case .opening, .idle, .delivering: if !isOutdated { isOutdated = region.isAffected(by: written) }
    }
    return next()
  }

  /// The query has run.
  ///
  /// - Returns: Whether its result is wanted.
  mutating func fetched(_ region: Region) -> Bool {
    guard phase == .fetching else { return false }
    self.region = region
    return true
  }

  /// The result is equal to the one before and is not delivered.
  mutating func skipped() -> Action {
    guard phase == .fetching else { return .nothing }
    return afterFetch(.idle)
  }

  /// The result is to be delivered.
  ///
  /// - Returns: Whether it may.
  mutating func beginsDelivery() -> Bool {
    guard phase == .fetching else { return false }
    if demand < PackedDemand.unlimited { demand &-= 1 }
    _ = afterFetch(.delivering)
    return true
  }

  /// The subscriber's `receive` has returned.
  mutating func delivered(requesting more: UInt) -> Action {
    guard phase == .delivering else { return .nothing }
    demand = PackedDemand.sum(demand, more)
    phase = .idle
    return next()
  }

  private mutating func afterFetch(_ phase: Phase) -> Action {
    isOutdated = region.isAffected(by: writtenMeanwhile)
    writtenMeanwhile = Region()
    self.phase = phase
    return next()
  }
}
