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
    /// The scheduler on which this subscribes, requests and cancels.
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
      let link = ScheduledLink("SubscribeOn", scheduler, options)
      let stage = SubscribeOnStage(subscriber, link)
      let upstream = self.upstream
      link.schedule { upstream.subscribe(stage) }
    }
  }
}

/// Forwards all signals unchanged, and makes no request on another thread while the subscriber receives its
/// subscription.
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

/// A link that forwards requests and the cancellation on a scheduler.
///
/// On a concurrent queue their order may change. That is correct: requests add up, and a request after the cancellation
/// does nothing.
@usableFromInline
final class ScheduledLink<Context: Scheduler>: UpstreamLink {
  private let scheduler: Context
  private let options: Context.SchedulerOptions?

  // Guarded by `lock`: the thread on which the subscriber is receiving its subscription, and the demand that has been
  // requested on other threads since.
  private var sendingThread: UInt = 0
  private var deferredDemand = Subscribers.Demand.none

  /// Upstream is cancelled later, and never if the scheduler does not run.
  @usableFromInline override var releasesSubscriberOnCancel: Bool { false }

  @usableFromInline
  init(_ name: OperatorName, _ scheduler: Context, _ options: Context.SchedulerOptions?) {
    self.scheduler = scheduler
    self.options = options
    super.init(name)
  }

  /// Runs a closure on the scheduler. It MUST run, or upstream is never subscribed to, or never cancelled.
  @usableFromInline
  func schedule(_ action: @escaping () -> Void) {
    scheduler.scheduleKept(options: options, action)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    guard let upstream = currentUpstream else { return }
    schedule { self.serve(demand, upstream) }
  }

  /// Calls a closure that sends the subscriber its subscription. On a concurrent queue, a request from inside that call
  /// could be served on another thread at the same time. It is deferred until the closure returns, so that only one
  /// thread at a time calls the subscriber.
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
    guard let upstream = end(from: .any).upstream?.takeRetainedValue() else { return }
    schedule { upstream.cancel() }
  }
}

extension Publisher {
  /// Subscribes to this publisher, requests and cancels on a scheduler.
  ///
  /// Values are delivered on the threads on which this publisher sends them.
  ///
  /// - Demand: Each request is scheduled and then forwarded. Demand that the subscriber returns for a value is returned
  ///   to this publisher.
  /// - Cancellation: No value is delivered after `cancel()`. The cancellation of this publisher is scheduled, and
  ///   requests that were made before may still be forwarded. Later requests and cancellations schedule nothing.
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
