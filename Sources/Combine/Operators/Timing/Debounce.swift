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
final class DebounceStage<Context: Scheduler, Downstream: Subscriber>: AlarmStage<Context, Downstream>, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  // Guarded by `lock`.
  @usableFromInline @exclusivity(unchecked) var latest: Input?

  @usableFromInline
  init(
    _ downstream: Downstream, dueTime: Context.SchedulerTimeType.Stride, _ scheduler: Context,
    _ options: Context.SchedulerOptions?
  ) {
    super.init(downstream, "Debounce", dueTime, scheduler, options, countsDemand: true)
  }

  @usableFromInline
  override func subscribed() {
    link.request(.unlimited)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    lock.lock()
    guard downstream != nil else {
      lock.unlock()
      return .none
    }
    let replaced = latest
    latest = input
    let generation = nextGeneration()
    lock.unlock()
    withExtendedLifetime(replaced) {}
    setTimer(generation)
    return .none
  }

  @usableFromInline
  override func timeIsUpUnlocking(_ timer: (any Cancellable)?) {
    let value = latest.take()
    let isAskedFor = demand != .none
    if isAskedFor, let value {
      demand -= 1
      waiting.append(value)
    }
    lock.unlock()
    timer?.cancel()
    if isAskedFor { deliver() }
  }

  @usableFromInline
  override func letGo() {
    super.letGo()
    lock.lock()
    let dropped = latest.take()
    lock.unlock()
    withExtendedLifetime(dropped) {}
  }

  @usableFromInline
  override var customMirror: Mirror {
    lock.lock()
    let (downstream, demand, latest) = (self.downstream, self.demand, self.latest)
    lock.unlock()
    return Mirror(
      self,
      children: [
        "downstream": Self.shown(downstream), "downstreamDemand": demand, "currentValue": latest as Any,
      ])
  }
}

extension Publisher {
  /// Delivers a value when no other has followed it for some time, on a scheduler.
  ///
  /// - Demand: Upstream is asked without limit. A value whose time has come while nobody asks for one is dropped.
  ///
  /// A completion is delivered without waiting for the quiet, and the value that still waited for it is dropped. Each
  /// value sets a timer on the scheduler and cancels the one before, and so do completion and cancellation: nothing
  /// stays scheduled.
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
