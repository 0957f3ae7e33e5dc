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
    /// The scheduler.
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
        ThrottleStage(subscriber, interval: interval, latest: latest, scheduler))
    }
  }
}

@usableFromInline
final class ThrottleStage<Context: Scheduler, Downstream: Subscriber>: TimedOutlet<
  Context, Downstream
>, Subscriber
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let latest: Bool

  // Guarded by `lock`: everything below it. `held` waits for the interval to end, if `isScheduled`.
  @usableFromInline @exclusivity(unchecked) var lastDelivery: Context.SchedulerTimeType?
  @usableFromInline @exclusivity(unchecked) var held: Input?
  @usableFromInline @exclusivity(unchecked) var isScheduled = false
  private var heldCompletion: Subscribers.Completion<Failure>?

  @usableFromInline
  init(
    _ downstream: Downstream, interval: Context.SchedulerTimeType.Stride, latest: Bool,
    _ scheduler: Context
  ) {
    self.interval = interval
    self.latest = latest
    super.init(downstream, "Throttle", scheduler, nil)
  }

  @usableFromInline
  override func subscribed() {
    link.request(.unlimited)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    let now = scheduler.now
    lock.lock()
    if downstream == nil {
      lock.unlock()
    } else if isScheduled {
      let replaced = held
      if latest || held == nil { held = input }
      lock.unlock()
      withExtendedLifetime(replaced) {}
    } else if let lastDelivery, lastDelivery.distance(to: now) < interval {
      held = input
      isScheduled = true
      lock.unlock()
      scheduler.schedule(
        after: lastDelivery.advanced(by: interval), tolerance: scheduler.minimumTolerance,
        options: options
      ) {
        self.intervalHasEnded()
      }
    } else {
      lastDelivery = now
      let replaced = keepLatest(input)
      startDelivering()
      withExtendedLifetime(replaced) {}
    }
    return .none
  }

  @usableFromInline
  func intervalHasEnded() {
    let now = scheduler.now
    lock.lock()
    isScheduled = false
    let value = held
    held = nil
    var replaced: Input?
    let isLast = heldCompletion != nil
    if downstream != nil, let value, !isLast || demand != .none {
      lastDelivery = now
      replaced = keepLatest(value)
    } else if isLast {
      // Nobody has asked for what waits, and nobody may: the completion does not wait with it.
      replaced = waiting.popLast()?.1
    }
    if terminal == nil { terminal = heldCompletion }
    deliverHereUnlocking()
    withExtendedLifetime((value, replaced)) {}
  }

  @usableFromInline
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard link.finish() else { return }
    lock.lock()
    if case .finished = completion, isScheduled {
      heldCompletion = completion
      lock.unlock()
    } else {
      let dropped = held
      held = nil
      lock.unlock()
      withExtendedLifetime(dropped) {}
      finish(completion)
    }
  }

  @usableFromInline
  override var dropsUnaskedAtTheEnd: Bool { true }

  @usableFromInline
  override func releaseInputs() {
    lock.lock()
    let dropped = held
    held = nil
    lock.unlock()
    withExtendedLifetime(dropped) { super.releaseInputs() }
  }
}

extension Publisher {
  /// Delivers at most one value in each interval, on a scheduler: the first at once, and then the latest or the first
  /// of each interval at its end.
  ///
  /// - Demand: Upstream is asked without limit. A value that nobody has asked for waits until somebody does or another
  ///   takes its place.
  ///
  /// When this publisher finishes, the value that waits for the end of its interval is still delivered then, and the
  /// completion with it, if somebody has asked for one. A failure is delivered at once, and the value dropped. No
  /// completion waits for demand.
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
  ///   - scheduler: Where to deliver.
  ///   - latest: Whether the latest value of an interval is delivered, or its first.
  @inlinable
  public func throttle<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> Publishers.Throttle<Self, S> {
    Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }
}
