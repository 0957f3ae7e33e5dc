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
    /// How long an interval is.
    public let interval: Context.SchedulerTimeType.Stride
    /// The scheduler that values are delivered on.
    public let scheduler: Context
    /// Whether the latest value of an interval is delivered, or its first.
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

  // Guarded by `lock`: everything below it. A closure is scheduled while there is something pending. A value that is
  // due is buffered.
  @usableFromInline @exclusivity(unchecked) var lastEmission: Context.SchedulerTimeType?
  @usableFromInline @exclusivity(unchecked) var pending: Input?
  private var pendingCompletion: Completion?

  @usableFromInline
  init(
    _ downstream: Downstream, interval: Context.SchedulerTimeType.Stride, latest: Bool, _ scheduler: Context
  ) {
    self.interval = interval
    self.latest = latest
    super.init(downstream, "Throttle", scheduler, nil, countsDemand: true)
  }

  @usableFromInline
  override var servesEarlyCancellation: Bool { true }

  @usableFromInline
  override func didSendSubscription() {
    link.request(.unlimited)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    let now = scheduler.now
    lock.lock()
    guard downstream != nil else {
      lock.unlock()
      return .none
    }
    if lacksDemand {
      // The last delivery was an interval ago, so this value is due as well.
      let replaced = replaceBuffered(with: input)
      lock.unlock()
      releaseOutsideLock(replaced)
      return .none
    }
    let replaced = pending
    if latest || replaced == nil { pending = input }
    if replaced != nil {
      lock.unlock()
      releaseOutsideLock(replaced)
      return .none
    }
    let lastEmission = self.lastEmission
    lock.unlock()
    if let next = lastEmission?.advanced(by: interval), next > now {
      scheduler.schedule(after: next, tolerance: scheduler.minimumTolerance, options: nil) { self.emit() }
    } else {
      scheduler.schedule(options: nil) { self.emit() }
    }
    return .none
  }

  @usableFromInline
  func emit() {
    let now = scheduler.now
    var replaced: Input?
    lock.lock()
    guard downstream != nil else {
      lock.unlock()
      return
    }
    if let value = pending.take() { replaced = replaceBuffered(with: value) }
    if let completion = pendingCompletion.take() { _ = state.ended(with: completion) }
    // Without demand too, for a request may come before the delivery; what is kept sets it again.
    if !state.buffer.isEmpty { lastEmission = now }
    lock.unlock()
    releaseOutsideLock(replaced)
    deliver()
  }

  @usableFromInline
  override func serveRequest() {
    emit()
  }

  @usableFromInline
  override func receive(completion: Completion) {
    guard link.finish() else { return }
    lock.lock()
    guard downstream != nil else {
      lock.unlock()
      return
    }
    pendingCompletion = completion
    // With a pending value it is delivered when that is due; behind one that lacks demand, when that is requested.
    let waits = pending != nil || lacksDemand && !completion.isFailure
    lock.unlock()
    if !waits { scheduler.schedule(options: nil) { self.emit() } }
  }

  @usableFromInline
  override func releasePending() {
    lock.lock()
    let dropped = pending.take()
    let droppedCompletion = pendingCompletion.take()
    lock.unlock()
    releaseOutsideLock((dropped, droppedCompletion))
  }
}

extension Publisher {
  /// Delivers at most one value in each interval, on a scheduler: the first as soon as possible, and then the latest or
  /// the first of each interval at its end.
  ///
  /// A value is scheduled for when an interval has passed since the last delivery. Until then the values that follow
  /// replace it, if the latest is wanted, or are dropped; so of values that come in one go, the last is delivered or
  /// the first, and no other. A completion, a failure too, is delivered together with the value that is scheduled, or
  /// as soon as possible if there is none. A negative interval behaves as zero.
  ///
  /// - Demand: Unlimited demand is requested from upstream. A value that is due while there is no demand is kept, and
  ///   delivered on the scheduler when there is; a newer one takes its place. A regular completion waits behind it; a
  ///   failure does not, and drops it.
  /// - Cancellation: Drops what has not been delivered yet.
  ///
  /// ```swift
  /// let positions = PassthroughSubject<Int, Never>()
  /// let cancellable = positions
  ///   .throttle(for: .milliseconds(100), scheduler: DispatchQueue.global(), latest: true)
  ///   .sink { print($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: How long an interval is.
  ///   - scheduler: The scheduler to deliver on.
  ///   - latest: Whether the latest value of an interval is delivered, or its first.
  @inlinable
  public func throttle<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> Publishers.Throttle<Self, S> {
    Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }
}
