import InterflowPrimitives

extension Publishers {
  /// A publisher that completes when its upstream has not delivered a value for some time.
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are delivered.
    public let upstream: Upstream
    /// How long upstream may take for the next value.
    public let interval: Context.SchedulerTimeType.Stride
    /// The scheduler that measures the time, and that values are delivered on.
    public let scheduler: Context
    /// Options passed to the scheduler.
    public let options: Context.SchedulerOptions?
    /// Makes the error that ends the stream; `nil` to finish.
    public let customError: (() -> Upstream.Failure)?

    /// Makes a publisher that limits the time between another's values.
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
        TimeoutSubscription(
          subscriber, interval: interval, scheduler, options, customError: customError))
    }
  }
}

@usableFromInline
final class TimeoutSubscription<Context: Scheduler, Downstream: Subscriber>: EachScheduledSubscription<
  Context, Downstream
>,
OperatorSubscriber
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let timer: ValueTimer<Void, Context>

  // Guarded by the core's lock: both.
  @usableFromInline @exclusivity(unchecked) var customError: (() -> Failure)?
  @usableFromInline @exclusivity(unchecked) var hasRequested = false

  @inlinable
  init(
    _ downstream: Downstream, interval: Context.SchedulerTimeType.Stride, _ scheduler: Context,
    _ options: Context.SchedulerOptions?, customError: (() -> Failure)?
  ) {
    timer = ValueTimer(interval, scheduler, options)
    self.customError = customError
    super.init(downstream, "Timeout", scheduler, options)
  }

  @usableFromInline
  override func receive(subscription: any Subscription) {
    guard link.link(subscription) else { return }
    // The subscriber's first request starts the time again.
    restartTimer()
    sendSubscription()
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    core.lock.lock()
    let isFirst = !hasRequested
    hasRequested = true
    core.lock.unlock()
    if isFirst, link.isLinked { restartTimer() }
    super.request(demand)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked, bufferUntilDue(input) else { return .none }
    restartTimer()
    scheduleDelivery()
    return .none
  }

  @inlinable
  func restartTimer() {
    timer.set(()) {
      self.timeIsUp()
    }
  }

  @usableFromInline
  func timeIsUp() {
    guard link.sever() == .linked else { return }
    core.lock.lock()
    let customError = self.customError
    core.lock.unlock()
    // Values that arrived in time are delivered first.
    if bufferUntilDue(customError.map { .failure($0()) } ?? .finished) { deliverAll() }
  }

  @usableFromInline
  override func receive(completion: Completion) {
    guard link.finish(keepsUpstream: true) else { return }
    timer.cancel()
    if bufferUntilDue(completion) { scheduleDelivery() }
  }

  @usableFromInline
  override func cancelInputs() {
    timer.cancel()
    core.lock.lock()
    let customError = self.customError.take()
    core.lock.unlock()
    releaseOutsideLock(customError)
    super.cancelInputs()
  }
}

extension Publisher {
  /// Completes the stream and cancels this publisher when it has not delivered a value for some time.
  ///
  /// Values and the completion are delivered on the scheduler, each in its own scheduled closure. The time starts with
  /// the subscription, and starts again with the first request and with each value, also if there is no demand. When
  /// the time has passed, the values that arrived in time are delivered, and then the completion. A negative interval
  /// behaves as zero.
  ///
  /// - Demand: Is forwarded, and not counted: every value that arrives is delivered.
  /// - Cancellation: Cancels this publisher, and drops values and a completion that have not been delivered.
  ///
  /// ```swift
  /// let answers = PassthroughSubject<Int, Never>()
  /// let cancellable = answers
  ///   .timeout(.seconds(5), scheduler: DispatchQueue.global())
  ///   .sink { print($0) } receiveValue: { print($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: How long this publisher may take for the next value.
  ///   - scheduler: The scheduler that measures the time and that values are delivered on.
  ///   - options: Options passed to the scheduler.
  ///   - customError: Makes the error that ends the stream; `nil` to finish.
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
