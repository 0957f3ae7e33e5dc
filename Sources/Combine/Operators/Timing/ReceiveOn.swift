extension Publishers {
  /// A publisher that delivers on a scheduler.
  public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
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

    /// Makes a publisher that delivers another's values on a scheduler.
    public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(ReceiveOnStage(subscriber, "ReceiveOn", scheduler, options))
    }
  }
}

@usableFromInline
final class ReceiveOnStage<Context: Scheduler, Downstream: Subscriber>: TimedOutlet<
  Context, Downstream
>, Subscriber
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if link.isLinked { enqueue(input, ()) }
    return .none
  }

  @usableFromInline
  override func asked(_ more: Subscribers.Demand) {
    link.request(more)
  }
}

extension Publisher {
  /// Delivers values and the completion on a scheduler.
  ///
  /// The order stays, on a concurrent queue too. The subscription itself is handed over where it is made.
  ///
  /// - Demand: Passes through.
  /// - Cancellation: What was scheduled and not delivered is dropped.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher
  ///   .receive(on: DispatchQueue.global())
  ///   .sink { print($0) }
  /// ```
  @inlinable
  public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil)
    -> Publishers.ReceiveOn<Self, S>
  {
    Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
  }
}
