extension Publishers {
  /// A publisher that delivers values and the completion on a scheduler.
  public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are delivered.
    public let upstream: Upstream
    /// The scheduler.
    public let scheduler: Context
    /// Options passed to the scheduler.
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
      upstream.subscribe(ReceiveOnSubscription(subscriber, scheduler, options))
    }
  }
}

@usableFromInline
final class ReceiveOnSubscription<Context: Scheduler, Downstream: Subscriber>: EachScheduledSubscription<
  Context, Downstream
>,
OperatorSubscriber
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @inlinable
  init(_ downstream: Downstream, _ scheduler: Context, _ options: Context.SchedulerOptions?) {
    super.init(downstream, "ReceiveOn", scheduler, options)
    reuseWorkItem()
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if link.isLinked, bufferUntilDue(input) { scheduleDelivery() }
    return .none
  }
}

extension Publisher {
  /// Delivers values and the completion on a scheduler, each in its own scheduled closure.
  ///
  /// So work that is scheduled between two values runs between them, and a value that is sent during a delivery is
  /// delivered after everything that has been scheduled before. The order of the signals is preserved, also on a
  /// concurrent queue, and one is delivered at a time. On ``ImmediateScheduler``, a value that is sent during a
  /// delivery is delivered immediately, as a nested call. The subscription itself is sent on the thread that
  /// subscribes.
  ///
  /// - Demand: Is forwarded, and not counted: every value that arrives is delivered.
  /// - Cancellation: Drops values and a completion that have not been delivered.
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
