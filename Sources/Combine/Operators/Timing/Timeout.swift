import InterflowPrimitives

extension Publishers {
  /// A publisher that ends when its upstream has been silent for too long.
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are delivered.
    public let upstream: Upstream
    /// How long upstream may be silent.
    public let interval: Context.SchedulerTimeType.Stride
    /// The scheduler.
    public let scheduler: Context
    /// What the scheduler is told of how to run.
    public let options: Context.SchedulerOptions?
    /// Makes the error that ends the stream; without one it finishes.
    public let customError: (() -> Upstream.Failure)?

    /// Makes a publisher that limits another's silence.
    public init(
      upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
      options: Context.SchedulerOptions?, customError: (() -> Upstream.Failure)?
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.options = options
      self.customError = customError
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        TimeoutStage(
          subscriber, interval: interval, scheduler, options, customError: customError))
    }
  }
}

@usableFromInline
final class TimeoutStage<Context: Scheduler, Downstream: Subscriber>: TimedOutlet<
  Context, Downstream
>, Subscriber
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let interval: Context.SchedulerTimeType.Stride

  // Guarded by `lock`: both. One job watches the clock; a value moves the deadline, and the job sets out again for it.
  @usableFromInline @exclusivity(unchecked) var lastActivity: Context.SchedulerTimeType?
  private var customError: (() -> Failure)?

  @usableFromInline
  init(
    _ downstream: Downstream, interval: Context.SchedulerTimeType.Stride, _ scheduler: Context,
    _ options: Context.SchedulerOptions?, customError: (() -> Failure)?
  ) {
    self.interval = interval
    self.customError = customError
    super.init(downstream, "Timeout", scheduler, options)
  }

  @usableFromInline
  override func subscribed() {
    guard link.isLinked else { return }
    let now = scheduler.now
    noteActivity(now)
    watch(since: now)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    noteActivity(scheduler.now)
    enqueue(input, ())
    return .none
  }

  @inlinable
  func noteActivity(_ now: Context.SchedulerTimeType) {
    lock.lock()
    lastActivity = now
    lock.unlock()
  }

  private func watch(since activity: Context.SchedulerTimeType) {
    scheduler.schedule(
      after: activity.advanced(by: interval), tolerance: scheduler.minimumTolerance,
      options: options
    ) {
      self.deadlineHasPassed(for: activity)
    }
  }

  private func deadlineHasPassed(for activity: Context.SchedulerTimeType) {
    guard link.isLinked else { return }
    lock.lock()
    let latest = lastActivity ?? activity
    let customError = self.customError
    lock.unlock()
    if activity < latest {
      watch(since: latest)
    } else if link.sever() {
      finish(customError.map { .failure($0()) } ?? .finished)
    }
  }

  @usableFromInline
  override func asked(_ more: Subscribers.Demand) {
    link.request(more)
  }

  @usableFromInline
  override func releaseInputs() {
    lock.lock()
    let customError = self.customError
    self.customError = nil
    lock.unlock()
    withExtendedLifetime(customError) { super.releaseInputs() }
  }
}

extension Publisher {
  /// Ends the stream when this publisher has been silent for too long, and cancels it.
  ///
  /// Values and the completion are delivered on the scheduler. The time runs from the subscription, and anew from each
  /// value, also while nobody asks for one.
  ///
  /// - Demand: Passes through.
  ///
  /// ```swift
  /// let answers = PassthroughSubject<Int, Never>()
  /// let cancellable = answers
  ///   .timeout(.seconds(5), scheduler: DispatchQueue.global())
  ///   .sink { print($0) } receiveValue: { print($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: How long the publisher may be silent.
  ///   - scheduler: Where to deliver, and whose time counts.
  ///   - options: What the scheduler is told of how to run.
  ///   - customError: Makes the error that ends the stream; without one it finishes.
  @inlinable
  public func timeout<S: Scheduler>(
    _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
    customError: (() -> Failure)? = nil
  ) -> Publishers.Timeout<Self, S> {
    Publishers.Timeout(
      upstream: self, interval: interval, scheduler: scheduler, options: options,
      customError: customError)
  }
}
