import InterflowPrimitives

extension Publishers {
  /// A publisher that delivers at most one value in each interval.
  public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are delivered.
    public let upstream: Upstream
    /// The length of an interval.
    public let interval: Context.SchedulerTimeType.Stride
    /// The scheduler that values are delivered on.
    public let scheduler: Context
    /// Whether the latest value of an interval is delivered, rather than the first.
    public let latest: Bool

    /// Makes a publisher that throttles another.
    public init(
      upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
      latest: Bool
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.latest = latest
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        ThrottleSubscription(subscriber, interval: interval, latest: latest, scheduler))
    }
  }
}

@usableFromInline
final class ThrottleSubscription<Context: Scheduler, Downstream: Subscriber>: ScheduledSubscription<
  Context, Downstream
>,
OperatorSubscriber
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let latest: Bool

  // Guarded by the core's lock: all four. A value that is due is in the buffer; `pending` is the one that is not due
  // yet. While there is something pending, a closure is scheduled that calls `emit()`.
  @usableFromInline @exclusivity(unchecked) var lastEmission: Context.SchedulerTimeType?
  @usableFromInline @exclusivity(unchecked) var pending: Input?
  @usableFromInline @exclusivity(unchecked) var pendingCompletion: Completion?
  /// Another value has been delivered since `emit()` was scheduled, so an interval has begun.
  @usableFromInline @exclusivity(unchecked) var isPostponed = false

  @inlinable
  init(
    _ downstream: Downstream, interval: Context.SchedulerTimeType.Stride, latest: Bool, _ scheduler: Context
  ) {
    self.interval = interval
    self.latest = latest
    super.init(downstream, "Throttle", scheduler, nil, .servesEarlyCancellation)
  }

  @usableFromInline
  override func receive(subscription: any Subscription) {
    if begin(subscription) { link.request(.unlimited) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    // If a value has not been requested, the last delivery was an interval ago, so this one is due as well.
    guard link.isLinked, !replaceUnrequested(input, if: pending == nil) else { return .none }
    let now = scheduler.now
    core.lock.lock()
    guard !core.demand.isOver else {
      core.lock.unlock()
      return .none
    }
    let replaced = pending
    if latest || replaced == nil { pending = input }
    let lastEmission = self.lastEmission
    core.lock.unlock()
    if replaced != nil {
      releaseOutsideLock(replaced)
    } else if let next = lastEmission?.advanced(by: interval), next > now {
      scheduler.scheduleKept(after: next, tolerance: scheduler.minimumTolerance, options: nil) { self.emit() }
    } else {
      scheduler.scheduleKept(options: nil) { self.emit() }
    }
    return .none
  }

  /// Delivers what is pending.
  @inlinable
  func emit() {
    let now = scheduler.now
    core.lock.lock()
    if isPostponed, let lastEmission {
      isPostponed = false
      core.lock.unlock()
      // A time is the scheduler's own code, which is called, and whose values are released, without the lock.
      let next = lastEmission.advanced(by: interval)
      scheduler.scheduleKept(after: next, tolerance: scheduler.minimumTolerance, options: nil) { self.emit() }
      return
    }
    // In one step: a completion that comes meanwhile follows the value.
    let (value, completion) = takePending()
    let replaced = value.flatMap { bufferLatestWithLock($0) }
    // Also without demand, since a request may arrive before the delivery. A value that stays buffered sets this again
    // when it is requested.
    let begins = value != nil || !signals.elements.isEmpty
    let lastTime = begins ? exchangeLastEmission(now) : nil
    let ends = completion.map { signals.end(with: $0, core.demand) } ?? false
    core.lock.unlock()
    releaseOutsideLock((replaced, lastTime))
    if ends { deliverCompletion(isFailure: completion?.isFailure ?? false) } else { deliverHere() }
  }

  /// With the lock: sets the time at which an interval has begun.
  ///
  /// - Returns: The one before, for the caller to release.
  @inlinable
  func exchangeLastEmission(_ time: Context.SchedulerTimeType) -> Context.SchedulerTimeType? {
    core.lock.assertHeld()
    let last = lastEmission
    lastEmission = time
    return last
  }

  /// With the lock: takes out what is pending.
  @inlinable
  func takePending() -> (Input?, Completion?) {
    core.lock.assertHeld()
    defer { (pending, pendingCompletion) = (nil, nil) }
    return (pending, pendingCompletion)
  }

  @usableFromInline
  override func deliverRequested() {
    let now = scheduler.now
    core.lock.lock()
    let begins = !signals.elements.isEmpty
    let lastTime = begins ? exchangeLastEmission(now) : nil
    if begins { isPostponed = pending != nil }
    core.lock.unlock()
    releaseOutsideLock(lastTime)
    deliverHere()
  }

  @usableFromInline
  override func receive(completion: Completion) {
    guard link.finish() else { return }
    core.lock.lock()
    // A completion follows a pending value when that is due.
    let isPending = pending != nil && !core.demand.isOver
    if isPending { pendingCompletion = completion }
    core.lock.unlock()
    if !isPending { finishScheduled(completion) }
  }

  @usableFromInline
  override func cancelInputs() {
    core.lock.lock()
    let dropped = takePending()
    core.lock.unlock()
    releaseOutsideLock(dropped)
    super.cancelInputs()
  }
}

extension Publisher {
  /// Delivers at most one value in each interval, on a scheduler: the first value immediately, and then the latest or
  /// the first value of each interval at its end.
  ///
  /// A value is scheduled for the end of the interval that began with the last delivery. Values that arrive before that
  /// replace it if `latest` is true, and are dropped otherwise. So if several values arrive at once, only the last or
  /// only the first of them is delivered. A completion, also a failure, is delivered right after a scheduled value, or
  /// scheduled immediately if there is none. A negative interval behaves as zero.
  ///
  /// - Demand: Unlimited demand is requested from upstream. If there is no demand when a value is due, the value is
  ///   buffered, and delivered on the scheduler when it is requested; a newer one replaces it. A regular completion is
  ///   delivered after a buffered value. A failure drops the value.
  /// - Cancellation: Drops values and a completion that have not been delivered.
  ///
  /// ```swift
  /// let positions = PassthroughSubject<Int, Never>()
  /// let cancellable = positions
  ///   .throttle(for: .milliseconds(100), scheduler: DispatchQueue.global(), latest: true)
  ///   .sink { print($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The length of an interval.
  ///   - scheduler: The scheduler to deliver on.
  ///   - latest: Whether the latest value of an interval is delivered, rather than the first.
  @inlinable
  public func throttle<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> Publishers.Throttle<Self, S> {
    Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }
}
