import InterflowPrimitives

extension Publishers {
  /// When a group of collected values is complete.
  public enum TimeGroupingStrategy<Context: Scheduler> {
    /// At the end of each interval of a scheduler's time.
    case byTime(Context, Context.SchedulerTimeType.Stride)

    /// At the end of each interval of a scheduler's time, and when the group has a number of values.
    case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
  }

  /// A publisher that collects values into groups by time.
  public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = [Upstream.Output]
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are collected.
    public let upstream: Upstream
    /// When a group is complete.
    public let strategy: Publishers.TimeGroupingStrategy<Context>
    /// Options passed to the scheduler.
    public let options: Context.SchedulerOptions?

    /// Makes a publisher that collects the values of another.
    public init(
      upstream: Upstream, strategy: Publishers.TimeGroupingStrategy<Context>,
      options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.strategy = strategy
      self.options = options
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let subscription =
        switch strategy {
        case .byTime(let scheduler, let interval):
          CollectByTimeSubscription<Upstream.Output, Context, S>(
            subscriber, interval, limit: nil, scheduler, options)
        case .byTimeOrCount(let scheduler, let interval, let count):
          CollectByTimeSubscription<Upstream.Output, Context, S>(
            subscriber, interval, limit: count, scheduler, options)
        }
      upstream.subscribe(subscription)
    }
  }
}

/// Delivers each group in a scheduled closure, when it has been requested.
@usableFromInline
final class CollectByTimeSubscription<Input, Context: Scheduler, Downstream: Subscriber>: ScheduledSubscription<
  Context, Downstream
>,
OperatorSubscriber
where Downstream.Input == [Input] {
  @usableFromInline typealias Failure = Downstream.Failure

  private let interval: Context.SchedulerTimeType.Stride
  private let limit: Int?

  // Guarded by the core's lock: both.
  private var group: [Input] = []
  private var timer: (any Cancellable)?

  init(
    _ downstream: Downstream, _ interval: Context.SchedulerTimeType.Stride, limit: Int?,
    _ scheduler: Context,
    _ options: Context.SchedulerOptions?
  ) {
    precondition(
      limit ?? 1 > 0,
      "a group must have room for at least one value, but its count is \(limit ?? 1)")
    self.interval = interval
    self.limit = limit
    super.init(
      downstream, limit == nil ? "CollectByTime" : "CollectByTimeOrCount", scheduler, options, .servesEarlyCancellation)
  }

  @usableFromInline
  override func receive(subscription: any Subscription) {
    guard begin(subscription) else { return }
    let timer = scheduler.schedule(
      after: scheduler.now.advanced(by: interval), interval: interval,
      tolerance: scheduler.minimumTolerance,
      options: options
    ) { [weak self] in
      self?.intervalHasEnded()
    }
    core.lock.lock()
    let isNeeded = !core.demand.isOver && link.isLinked
    if isNeeded { self.timer = timer }
    core.lock.unlock()
    if !isNeeded { timer.cancel() }
    if limit == nil { link.request(.unlimited) }
  }

  @usableFromInline
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    core.lock.lock()
    if !core.demand.isOver { group.append(input) }
    let isFull = limit.map { group.count >= $0 } ?? false
    if isFull { endGroup() }
    core.lock.unlock()
    if isFull { serve() }
    return .none
  }

  private func intervalHasEnded() {
    core.lock.lock()
    if link.isLinked { endGroup() }
    core.lock.unlock()
    deliverHere()
  }

  /// With the lock: buffers the group, if it has values.
  private func endGroup() {
    core.lock.assertHeld()
    guard !group.isEmpty, isAccepting else { return }
    append(group, ())
    group = []
  }

  @usableFromInline
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard link.finish() else { return }
    core.lock.lock()
    if !completion.isFailure { endGroup() }
    let (timer, dropped) = takeTimerAndGroup()
    core.lock.unlock()
    timer?.cancel()
    withExtendedLifetime(dropped) { finishAfterBuffered(completion, dropsUnrequested: completion.isFailure) }
  }

  /// With the lock: takes out the timer and the group, which the caller cancels and releases outside the lock.
  private func takeTimerAndGroup() -> ((any Cancellable)?, [Input]) {
    core.lock.assertHeld()
    defer { group = [] }
    return (timer.take(), group)
  }

  // MARK: From the base class

  @usableFromInline
  override func forward(_ more: Subscribers.Demand) {
    if let limit, more != .none { link.request(more * limit) }
  }

  @usableFromInline
  override func cancelInputs() {
    core.lock.lock()
    let (timer, dropped) = takeTimerAndGroup()
    core.lock.unlock()
    timer?.cancel()
    withExtendedLifetime(dropped) { super.cancelInputs() }
  }
}

extension Publisher {
  /// Collects values into groups, and delivers a group at the end of each interval of a scheduler's time, or when it
  /// has a number of values.
  ///
  /// No group is delivered for an interval without values. When this publisher finishes, the values collected so far
  /// are delivered as a last group. A failure drops them, and the groups that have not been requested.
  ///
  /// - Demand: With `.byTime`, unlimited demand is requested from upstream. With `.byTimeOrCount`, as many values are
  ///   requested as the requested groups can hold. Groups without demand are buffered.
  /// - Cancellation: Cancels this publisher and the timer, and drops what has not been delivered.
  ///
  /// ```swift
  /// let readings = PassthroughSubject<Int, Never>()
  /// let cancellable = readings
  ///   .collect(.byTimeOrCount(DispatchQueue.global(), .seconds(1), 100))
  ///   .sink { print($0.count, "readings") }
  /// ```
  public func collect<S: Scheduler>(
    _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
  ) -> Publishers.CollectByTime<Self, S> {
    Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
  }
}
