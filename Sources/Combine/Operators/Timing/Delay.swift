import InterflowPrimitives

extension Publishers {
  /// A publisher that delivers everything some time later.
  public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are delivered.
    public let upstream: Upstream
    /// How much later.
    public let interval: Context.SchedulerTimeType.Stride
    /// How exact the scheduler has to be.
    public let tolerance: Context.SchedulerTimeType.Stride
    /// The scheduler.
    public let scheduler: Context
    /// What the scheduler is told of how to run.
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
        DelayStage(
          subscriber, interval: interval, tolerance: tolerance, scheduler, options))
    }
  }
}

@usableFromInline
final class DelayStage<Context: Scheduler, Downstream: Subscriber>: TimedOutlet<
  Context, Downstream
>, Subscriber
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let tolerance: Context.SchedulerTimeType.Stride

  // Guarded by `lock`: everything below it. One job waits for the oldest signal, if there is one: a job for each would
  // cost a timer each, and could overtake the others on a concurrent queue.
  @usableFromInline @exclusivity(unchecked) var delayed = RingBuffer<
    (due: Context.SchedulerTimeType, value: Input?)
  >()
  @usableFromInline @exclusivity(unchecked) var delayedCompletion: Subscribers.Completion<Failure>?
  @usableFromInline @exclusivity(unchecked) var isScheduled = false

  @usableFromInline
  init(
    _ downstream: Downstream, interval: Context.SchedulerTimeType.Stride,
    tolerance: Context.SchedulerTimeType.Stride,
    _ scheduler: Context, _ options: Context.SchedulerOptions?
  ) {
    self.interval = interval
    self.tolerance = tolerance
    super.init(downstream, "Delay", scheduler, options)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if link.isLinked { hold(input) }
    return .none
  }

  @usableFromInline
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard link.finish() else { return }
    lock.lock()
    delayedCompletion = completion
    lock.unlock()
    hold(nil)
  }

  /// Keeps a value back, or the completion, which comes without one.
  @inlinable
  func hold(_ value: Input?) {
    let due = scheduler.now.advanced(by: interval)
    lock.lock()
    let isFirst = downstream != nil && !isScheduled
    if downstream != nil { delayed.append((due, value)) }
    if isFirst { isScheduled = true }
    lock.unlock()
    if isFirst { scheduleRelease(at: due) }
  }

  @inlinable
  func scheduleRelease(at due: Context.SchedulerTimeType) {
    scheduler.schedule(after: due, tolerance: tolerance, options: options) { self.releaseDue() }
  }

  @inlinable
  func releaseDue() {
    let now = scheduler.now
    lock.lock()
    guard downstream != nil else {
      lock.unlock()
      return
    }
    // The first is due, whatever the clock says: the job was scheduled for it.
    var released = delayed.popFirst()
    while let signal = released {
      if let value = signal.value {
        waiting.append(((), value))
      } else if terminal == nil {
        terminal = delayedCompletion
      }
      released = delayed.first.map { $0.due <= now } ?? false ? delayed.popFirst() : nil
    }
    let next = delayed.first?.due
    isScheduled = next != nil
    let isClaimed = claimDeliveryHere()
    lock.unlock()
    // Before the delivery, which may take its time.
    if let next { scheduleRelease(at: next) }
    if isClaimed { drain(self) }
  }

  @usableFromInline
  override func asked(_ more: Subscribers.Demand) {
    link.request(more)
  }

  @usableFromInline
  override func releaseInputs() {
    lock.lock()
    let dropped = delayed
    delayed = RingBuffer()
    delayedCompletion = nil
    lock.unlock()
    withExtendedLifetime(dropped) { link.cancel() }
  }
}

extension Publisher {
  /// Delivers values and the completion some time later, on a scheduler.
  ///
  /// - Demand: Passes through.
  /// - Cancellation: What has not been delivered yet is dropped.
  ///
  /// ```swift
  /// let cancellable = Just(1)
  ///   .delay(for: .milliseconds(10), scheduler: DispatchQueue.global())
  ///   .sink { print($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: How much later.
  ///   - tolerance: How exact the scheduler has to be; as exact as it can without one.
  ///   - scheduler: Where to deliver.
  ///   - options: What the scheduler is told of how to run.
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
