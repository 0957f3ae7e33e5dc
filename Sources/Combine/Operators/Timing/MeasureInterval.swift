extension Publishers {
  /// A publisher of the time intervals between another's values.
  public struct MeasureInterval<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Context.SchedulerTimeType.Stride
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher between whose values the time is measured.
    public let upstream: Upstream
    /// The scheduler whose clock is used.
    public let scheduler: Context

    /// Makes a publisher of the time intervals between another's values.
    public init(upstream: Upstream, scheduler: Context) {
      self.upstream = upstream
      self.scheduler = scheduler
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        MeasureIntervalStage<Upstream.Output, Context, S>(subscriber, scheduler))
    }
  }
}

/// A ``Stage`` that stores the time of the last value.
@usableFromInline
final class MeasureIntervalStage<Input, Context: Scheduler, Downstream: Subscriber>: Stage<
  Downstream.Failure, Downstream
>, OperatorSubscriber
where Downstream.Input == Context.SchedulerTimeType.Stride {
  @usableFromInline typealias Failure = Downstream.Failure

  private let scheduler: Context
  private var last: Context.SchedulerTimeType?

  @usableFromInline
  init(_ downstream: Downstream, _ scheduler: Context) {
    self.scheduler = scheduler
    super.init(downstream, UpstreamLink("MeasureInterval"))
  }

  @usableFromInline
  override func receive(subscription: any Subscription) {
    if last == nil { last = scheduler.now }
    super.receive(subscription: subscription)
  }

  @usableFromInline
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked, let last else { return .none }
    let now = scheduler.now
    self.last = now
    let more = downstream.receive(last.distance(to: now))
    if more != .none { link.request(more) }
    return .none
  }
}

extension Publisher {
  /// Delivers, for each value, the time interval since the value before; for the first, since the subscription.
  ///
  /// The completion is forwarded.
  ///
  /// - Demand: Is forwarded. Demand that the subscriber returns for a value is requested from upstream.
  /// - Cancellation: Is forwarded.
  ///
  /// ```swift
  /// let ticks = PassthroughSubject<Void, Never>()
  /// let cancellable = ticks
  ///   .measureInterval(using: DispatchQueue.global())
  ///   .sink { print($0.magnitude, "nanoseconds") }
  /// ```
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler whose clock is used.
  ///   - options: Not used: nothing is scheduled.
  @inlinable
  public func measureInterval<S: Scheduler>(
    using scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.MeasureInterval<Self, S> {
    Publishers.MeasureInterval(upstream: self, scheduler: scheduler)
  }
}
