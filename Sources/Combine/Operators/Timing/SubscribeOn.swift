import InterflowPrimitives

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
    /// Options passed to the scheduler.
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
      let stage = SubscribeOnStage(subscriber, ScheduledLink("SubscribeOn", scheduler, options))
      let upstream = self.upstream
      scheduler.schedule(options: options) { upstream.subscribe(stage) }
    }
  }
}

/// Passes everything on unchanged, and makes no request while the subscriber receives its subscription.
@usableFromInline
final class SubscribeOnStage<Context: Scheduler, Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>,
  OperatorSubscriber
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  private let scheduled: ScheduledLink<Context>

  @usableFromInline
  init(_ downstream: Downstream, _ link: ScheduledLink<Context>) {
    scheduled = link
    super.init(downstream, link)
  }

  @usableFromInline
  override func receive(subscription: any Subscription) {
    if link.link(subscription) { scheduled.sendSubscription { downstream.receive(subscription: link) } }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    link.isLinked ? downstream.receive(input) : .none
  }
}

/// A link that makes its requests and its cancellation on a scheduler.
///
/// On a concurrent queue a request may overtake another, which makes no difference to their sum, and a cancellation may
/// overtake a request, which then does nothing.
@usableFromInline
final class ScheduledLink<Context: Scheduler>: UpstreamLink {
  private let scheduler: Context
  private let options: Context.SchedulerOptions?

  // Guarded by `lock`: the thread on which the subscriber is receiving its subscription, and what has been requested on
  // other threads meanwhile.
  private var sendingThread: UInt = 0
  private var deferredDemand = Subscribers.Demand.none

  /// A cancellation reaches upstream later, and never if the scheduler does not run.
  override var releasesSubscriberOnCancel: Bool { false }

  @usableFromInline
  init(_ name: OperatorName, _ scheduler: Context, _ options: Context.SchedulerOptions?) {
    self.scheduler = scheduler
    self.options = options
    super.init(name)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    guard let upstream = currentUpstream else { return }
    scheduler.schedule(options: options) { self.serve(demand, upstream) }
  }

  /// Runs a closure that sends the subscriber its subscription. On a concurrent queue a request from inside would be
  /// made at the same time; it is held back until the closure returns, so that the subscriber never sees two threads at
  /// once.
  func sendSubscription(_ body: () -> Void) {
    lock.lock()
    sendingThread = currentThreadIdentity()
    lock.unlock()
    body()
    lock.lock()
    sendingThread = 0
    let demand = deferredDemand
    deferredDemand = .none
    lock.unlock()
    if demand != .none { request(demand) }
  }

  private func serve(_ demand: Subscribers.Demand, _ upstream: EngineSubscription) {
    lock.lock()
    if sendingThread != 0, sendingThread != currentThreadIdentity() {
      deferredDemand += demand
      lock.unlock()
      return
    }
    lock.unlock()
    upstream.request(demand)
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
  /// Values come on whatever thread this publisher delivers them. After `cancel()` none is delivered, though upstream
  /// is cancelled later, and receives a request that was made before. After that neither schedules anything.
  ///
  /// - Demand: Passes through, in scheduled closures; demand that is returned for a value is returned to this
  ///   publisher.
  /// - Cancellation: Is scheduled.
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
