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
    /// Options passed to the scheduler.
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
        TimeoutSubscription(
          subscriber, interval: interval, scheduler, options, customError: customError))
    }
  }
}

@usableFromInline
final class TimeoutSubscription<Context: Scheduler, Downstream: Subscriber>: TimerSubscription<Context, Downstream>,
  OperatorSubscriber
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  // Guarded by `lock`: both.
  private var customError: (() -> Failure)?
  private var hasRequested = false

  @usableFromInline
  init(
    _ downstream: Downstream, interval: Context.SchedulerTimeType.Stride, _ scheduler: Context,
    _ options: Context.SchedulerOptions?, customError: (() -> Failure)?
  ) {
    self.customError = customError
    super.init(downstream, "Timeout", interval, scheduler, options)
  }

  @usableFromInline
  override func willSendSubscription() {
    restartTimer()
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    lock.lock()
    let isFirst = !hasRequested
    hasRequested = true
    lock.unlock()
    if isFirst, link.isLinked { restartTimer() }
    super.request(demand)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked, buffer(input) else { return .none }
    restartTimer()
    scheduleDelivery()
    return .none
  }

  @inlinable
  func restartTimer() {
    lock.lock()
    // After the end nobody would cancel the timer.
    guard state.isAccepting else {
      lock.unlock()
      return
    }
    let generation = nextGeneration()
    lock.unlock()
    setTimer(generation)
  }

  @usableFromInline
  override func timeIsUpUnlocking(_ timer: (any Cancellable)?) {
    lock.assertHeld()
    let customError = self.customError
    lock.unlock()
    timer?.cancel()
    guard link.sever(), end(with: customError.map { .failure($0()) } ?? .finished) else { return }
    lock.lock()
    // Values that came in time are delivered first, although their closures are late.
    let count = state.buffer.count + 1
    lock.unlock()
    deliver(count)
  }

  @usableFromInline
  override func releasePending() {
    super.releasePending()
    lock.lock()
    let customError = self.customError.take()
    lock.unlock()
    releaseOutsideLock(customError)
  }
}

extension Publisher {
  /// Ends the stream when this publisher has been silent for too long, and cancels it.
  ///
  /// Values and the completion are delivered on the scheduler, each in a scheduled closure of its own. The time runs
  /// from the subscription, and anew from the first request and from each value, also while there is no demand. When it
  /// is up the stream ends there and then, after the values that came in time. A negative interval behaves as zero.
  ///
  /// - Demand: Passes through, and is not counted: every value is passed on.
  /// - Cancellation: Drops what has not been delivered yet, a completion too, and cancels this publisher.
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
  ///   - scheduler: The scheduler to deliver on, and whose time counts.
  ///   - options: Options passed to the scheduler.
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
