import InterflowPrimitives

extension Publishers {
  /// A publisher that delivers a value when no other has followed it for some time.
  public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are delivered.
    public let upstream: Upstream
    /// How long it has to be quiet after a value.
    public let dueTime: Context.SchedulerTimeType.Stride
    /// The scheduler.
    public let scheduler: Context
    /// What the scheduler is told of how to run.
    public let options: Context.SchedulerOptions?

    /// Makes a publisher that debounces another.
    public init(
      upstream: Upstream, dueTime: Context.SchedulerTimeType.Stride, scheduler: Context,
      options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.dueTime = dueTime
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(DebounceStage(subscriber, dueTime: dueTime, scheduler, options))
    }
  }
}

@usableFromInline
final class DebounceStage<Context: Scheduler, Downstream: Subscriber>: TimedOutlet<
  Context, Downstream
>, Subscriber
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let dueTime: Context.SchedulerTimeType.Stride

  // Guarded by `lock`: everything below it. One job waits for the quiet; a value moves its due time, and the job sets
  // out again for that.
  @usableFromInline @exclusivity(unchecked) var latest: Input?
  @usableFromInline @exclusivity(unchecked) var due: Context.SchedulerTimeType?
  @usableFromInline @exclusivity(unchecked) var generation: UInt64 = 0
  @usableFromInline @exclusivity(unchecked) var isScheduled = false

  @usableFromInline
  init(
    _ downstream: Downstream, dueTime: Context.SchedulerTimeType.Stride, _ scheduler: Context,
    _ options: Context.SchedulerOptions?
  ) {
    self.dueTime = dueTime
    super.init(downstream, "Debounce", scheduler, options)
  }

  @usableFromInline
  override func subscribed() {
    link.request(.unlimited)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    let due = scheduler.now.advanced(by: dueTime)
    lock.lock()
    guard downstream != nil else {
      lock.unlock()
      return .none
    }
    let replaced = latest
    latest = input
    self.due = due
    generation &+= 1
    let generation = self.generation
    let isFirst = !isScheduled
    isScheduled = true
    lock.unlock()
    withExtendedLifetime(replaced) {}
    if isFirst { wait(until: due, generation) }
    return .none
  }

  @inlinable
  func wait(until due: Context.SchedulerTimeType, _ generation: UInt64) {
    scheduler.schedule(after: due, tolerance: scheduler.minimumTolerance, options: options) {
      self.timeIsUp(for: generation)
    }
  }

  @usableFromInline
  func timeIsUp(for generation: UInt64) {
    lock.lock()
    guard link.isLinked, let value = latest else {
      isScheduled = false
      lock.unlock()
      return
    }
    if generation != self.generation, let due {
      let generation = self.generation
      lock.unlock()
      wait(until: due, generation)
      return
    }
    isScheduled = false
    latest = nil
    let replaced = keepLatest(value)
    deliverHereUnlocking()
    withExtendedLifetime(replaced) {}
  }

  @usableFromInline
  override func receive(completion: Subscribers.Completion<Failure>) {
    dropLatest()
    super.receive(completion: completion)
  }

  @usableFromInline
  override var dropsUnaskedAtTheEnd: Bool { true }

  @usableFromInline
  override func releaseInputs() {
    dropLatest()
    super.releaseInputs()
  }

  private func dropLatest() {
    lock.lock()
    let dropped = latest
    latest = nil
    lock.unlock()
    withExtendedLifetime(dropped) {}
  }
}

extension Publisher {
  /// Delivers a value when no other has followed it for some time, on a scheduler.
  ///
  /// - Demand: Upstream is asked without limit. A value that nobody has asked for waits until somebody does or another
  ///   takes its place.
  ///
  /// A completion is delivered without waiting for the quiet, and the value that still waited for it is dropped, as is
  /// one that nobody has asked for.
  ///
  /// ```swift
  /// let typed = PassthroughSubject<String, Never>()
  /// let cancellable = typed
  ///   .debounce(for: .milliseconds(300), scheduler: DispatchQueue.global())
  ///   .sink { print("search for", $0) }
  /// ```
  ///
  /// - Parameters:
  ///   - dueTime: How long it has to be quiet after a value.
  ///   - scheduler: Where to deliver.
  ///   - options: What the scheduler is told of how to run.
  @inlinable
  public func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.Debounce<Self, S> {
    Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
  }
}
