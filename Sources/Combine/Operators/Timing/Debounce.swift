extension Publishers {
  /// A publisher that delivers a value when no other value has followed within some time.
  public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are delivered.
    public let upstream: Upstream
    /// The length of the quiet period: how long no other value may follow.
    public let dueTime: Context.SchedulerTimeType.Stride
    /// The scheduler that values are delivered on.
    public let scheduler: Context
    /// Options passed to the scheduler.
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
      upstream.subscribe(DebounceSubscription(subscriber, dueTime: dueTime, scheduler, options))
    }
  }
}

@usableFromInline
final class DebounceSubscription<Context: Scheduler, Downstream: Subscriber>: ScheduledSubscription<
  Context, Downstream
>,
OperatorSubscriber
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  /// Holds the value whose quiet period has not ended.
  @usableFromInline let timer: ValueTimer<Input, Context>

  @inlinable
  init(
    _ downstream: Downstream, dueTime: Context.SchedulerTimeType.Stride, _ scheduler: Context,
    _ options: Context.SchedulerOptions?
  ) {
    timer = ValueTimer(dueTime, scheduler, options)
    super.init(downstream, "Debounce", scheduler, options)
  }

  @usableFromInline
  override func receive(subscription: any Subscription) {
    if begin(subscription) { link.request(.unlimited) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if link.isLinked {
      timer.set(input) {
        self.bufferLatest($0)
      } then: {
        self.deliverHere()
      }
    }
    return .none
  }

  @usableFromInline
  override func receive(completion: Completion) {
    guard link.finish() else { return }
    timer.cancel()
    finishScheduled(completion)
  }

  @usableFromInline
  override func cancelInputs() {
    timer.cancel()
    super.cancelInputs()
  }
}

extension Publisher {
  /// Delivers a value on a scheduler when no other value has followed within some time, the quiet period.
  ///
  /// A completion ends the quiet period: the completion is scheduled immediately, and a value whose quiet period has
  /// not ended is dropped. Each value sets a timer on the scheduler and cancels the one before. Completion and
  /// cancellation cancel the timer, so nothing stays scheduled. A negative time behaves as zero.
  ///
  /// - Demand: Unlimited demand is requested from upstream. If there is no demand when a quiet period ends, the value
  ///   is buffered, and delivered on the scheduler when it is requested; the next such value replaces it. A regular
  ///   completion is delivered after a buffered value. A failure drops the value.
  /// - Cancellation: Drops values and a completion that have not been delivered.
  ///
  /// ```swift
  /// let typed = PassthroughSubject<String, Never>()
  /// let cancellable = typed
  ///   .debounce(for: .milliseconds(300), scheduler: DispatchQueue.global())
  ///   .sink { print("search for", $0) }
  /// ```
  ///
  /// - Parameters:
  ///   - dueTime: The length of the quiet period.
  ///   - scheduler: The scheduler to deliver on.
  ///   - options: Options passed to the scheduler.
  @inlinable
  public func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.Debounce<Self, S> {
    Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
  }
}
