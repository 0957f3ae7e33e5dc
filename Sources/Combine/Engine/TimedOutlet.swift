import InterflowPrimitives

/// The way out of an operator that delivers on a scheduler: one job there delivers what has come in until it runs, in
/// order, so that values overtake neither each other nor the completion, on a concurrent queue either.
///
/// A subclass is final and declares itself a `Subscriber`. Its state is guarded by `lock`.
@usableFromInline
class TimedOutlet<Context: Scheduler, Downstream: Subscriber>: Outlet<Void, Downstream> {
  @usableFromInline final let link: UpstreamLink
  @usableFromInline final let scheduler: Context
  @usableFromInline final let options: Context.SchedulerOptions?

  @inlinable
  init(
    _ downstream: Downstream, _ name: OperatorName, _ scheduler: Context,
    _ options: Context.SchedulerOptions?
  ) {
    link = UpstreamLink(name)
    self.scheduler = scheduler
    self.options = options
    // One job is not to keep a queue from others for as long as values come in.
    super.init(downstream, name, batchSize: 256)
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if link.link(subscription) { currentDownstream?.receive(subscription: self) }
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if link.finish() { finish(completion, droppingWaiting: false) }
  }

  /// Delivers what may be delivered, in the job that runs already. With the lock, which it gives back.
  @usableFromInline
  final func deliverHereUnlocking() {
    let isClaimed = claimDelivery()
    lock.unlock()
    if isClaimed { drain(self) }
  }

  /// Lets a value wait in place of one that waits already and that nobody has asked for. With the lock.
  @usableFromInline
  final func keepLatest(_ value: Downstream.Input) -> Downstream.Input? {
    let replaced = demand == .none ? waiting.popLast()?.1 : nil
    waiting.append(((), value))
    return replaced
  }

  @usableFromInline
  override func beginDelivering() {
    scheduler.schedule(options: options) { self.drain(self) }
  }

  @usableFromInline
  override func releaseInputs() {
    link.cancel()
  }
}
