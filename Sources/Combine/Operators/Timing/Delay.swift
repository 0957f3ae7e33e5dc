extension Publishers {
  /// A publisher that delivers values and the completion some time later.
  public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are delivered.
    public let upstream: Upstream
    /// How much later values are delivered.
    public let interval: Context.SchedulerTimeType.Stride
    /// How much later than that the scheduler may deliver them.
    public let tolerance: Context.SchedulerTimeType.Stride
    /// The scheduler that values are delivered on.
    public let scheduler: Context
    /// Options passed to the scheduler.
    public let options: Context.SchedulerOptions?

    /// Makes a publisher that delays another.
    public init(
      upstream: Upstream, interval: Context.SchedulerTimeType.Stride,
      tolerance: Context.SchedulerTimeType.Stride, scheduler: Context,
      options: Context.SchedulerOptions? = nil
    ) {
      self.upstream = upstream
      self.interval = interval
      self.tolerance = tolerance
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        DelaySubscription(
          subscriber, interval: interval, tolerance: tolerance, scheduler, options))
    }
  }
}

@usableFromInline
final class DelaySubscription<Context: Scheduler, Downstream: Subscriber>: EachScheduledSubscription<
  Context, Downstream
>,
OperatorSubscriber
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let tolerance: Context.SchedulerTimeType.Stride

  @inlinable
  init(
    _ downstream: Downstream, interval: Context.SchedulerTimeType.Stride,
    tolerance: Context.SchedulerTimeType.Stride,
    _ scheduler: Context, _ options: Context.SchedulerOptions?
  ) {
    self.interval = Swift.max(interval, .zero)
    self.tolerance = tolerance
    super.init(downstream, "Delay", scheduler, options)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if link.isLinked, bufferUntilDue(input) { scheduleLater() }
    return .none
  }

  @usableFromInline
  override func receive(completion: Completion) {
    if link.finish(keepsUpstream: true), bufferUntilDue(completion) { scheduleLater() }
  }

  @inlinable
  func scheduleLater() {
    scheduler.scheduleKept(after: scheduler.now.advanced(by: interval), tolerance: tolerance, options: options) {
      self.deliver()
    }
  }
}

extension Publisher {
  /// Delivers values and the completion some time later, on a scheduler.
  ///
  /// Each signal is scheduled when it arrives. Their order is preserved, also on a concurrent queue. A negative
  /// interval behaves as zero.
  ///
  /// - Demand: Is forwarded, and not counted: every value that arrives is delivered.
  /// - Cancellation: Drops values and a completion that have not been delivered.
  ///
  /// ```swift
  /// let cancellable = Just(1)
  ///   .delay(for: .milliseconds(10), scheduler: DispatchQueue.global())
  ///   .sink { print($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: How much later to deliver.
  ///   - tolerance: How much later than that the scheduler may deliver; by default its minimum tolerance.
  ///   - scheduler: The scheduler to deliver on.
  ///   - options: Options passed to the scheduler.
  @inlinable
  public func delay<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.Delay<Self, S> {
    Publishers.Delay(
      upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance,
      scheduler: scheduler,
      options: options)
  }
}
