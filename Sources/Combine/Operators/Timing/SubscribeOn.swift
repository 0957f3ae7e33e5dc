extension Publishers {
  /// A publisher that subscribes, requests and cancels on a scheduler.
  public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are delivered.
    public let upstream: Upstream
    /// The scheduler.
    public let scheduler: Context
    /// What the scheduler is told of how to run.
    public let options: Context.SchedulerOptions?

    /// Makes a publisher that subscribes to another on a scheduler.
    public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let stage = RelayStage(subscriber, ScheduledLink("SubscribeOn", scheduler, options))
      let upstream = self.upstream
      scheduler.schedule(options: options) { upstream.subscribe(stage) }
    }
  }
}

/// A link that makes its requests and its cancellation on a scheduler.
///
/// On a concurrent queue a request may overtake another, which makes no difference to their sum. One whose job has not
/// begun when the cancellation comes is not made.
@usableFromInline
final class ScheduledLink<Context: Scheduler>: UpstreamLink {
  private let scheduler: Context
  private let options: Context.SchedulerOptions?

  @usableFromInline
  init(_ name: OperatorName, _ scheduler: Context, _ options: Context.SchedulerOptions?) {
    self.scheduler = scheduler
    self.options = options
    super.init(name)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    scheduler.schedule(options: options) { super.request(demand) }
  }

  @usableFromInline
  override func cancel() {
    guard let upstream = detach() else { return }
    scheduler.schedule(options: options) { upstream.cancel() }
  }
}

extension Publisher {
  /// Subscribes to this publisher, requests and cancels on a scheduler.
  ///
  /// Values come from wherever this publisher delivers them. After `cancel()` none is delivered, though upstream learns
  /// of it later.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher
  ///   .subscribe(on: DispatchQueue.global())
  ///   .sink { print($0) }
  /// ```
  @inlinable
  public func subscribe<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.SubscribeOn<Self, S> {
    Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
  }
}
