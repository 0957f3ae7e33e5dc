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

  // Guarded by `lock`: where the delivery goes on after a batch, while that is being settled.
  @usableFromInline final var handover = Handover.none

  // Guarded by `lock`: the thread that hands the subscriber its subscription, while it does.
  private final var introducing: UInt = 0

  @frozen
  @usableFromInline
  enum Handover {
    case none
    /// A job has been asked for, and the scheduler has not returned yet.
    case offered
    /// The job has run before the scheduler returned, and left the rest to whoever asked for it.
    case declined
  }

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
    guard link.link(subscription) else { return }
    lock.lock()
    let downstream = self.downstream
    introducing = currentThreadIdentity()
    lock.unlock()
    downstream?.receive(subscription: self)
    lock.lock()
    introducing = 0
    startDelivering()
    subscribed()
  }

  /// With the lock: whether another thread is still handing the subscriber its subscription. It sees to what waits when
  /// it has, so that the subscriber never sees two threads at once.
  @usableFromInline
  final var isHeldBack: Bool { introducing != 0 && introducing != currentThreadIdentity() }

  /// With the lock: takes the right to deliver in the job that runs already, if there is something to deliver and nobody
  /// has it.
  @inlinable
  final func claimDeliveryHere() -> Bool { !isHeldBack && claimDelivery() }

  /// The subscriber has been handed its subscription.
  @usableFromInline
  func subscribed() {}

  @usableFromInline
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if link.finish() { finish(completion) }
  }

  /// Ends the stream after the values that wait. A failure never waits for demand: it drops what nobody has asked for.
  @usableFromInline
  final func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
    if case .failure = completion { dropUnasked() }
    finish(completion, droppingUnasked: false)
  }

  @usableFromInline
  final override var acceptsEmptyRequests: Bool { true }

  /// Delivers what may be delivered, in the job that runs already. With the lock, which it gives back.
  @usableFromInline
  final func deliverHereUnlocking() {
    let isClaimed = claimDeliveryHere()
    lock.unlock()
    if isClaimed { drain(self) }
  }

  /// Delivers in the job that was asked to.
  private func drainHere() {
    lock.lock()
    if isHeldBack {
      isDelivering = false
      lock.unlock()
      return
    }
    // On this thread, and not on the one that has asked for it.
    isDelivering = true
    lock.unlock()
    drain(self)
  }

  @usableFromInline
  override func beginDelivering() {
    scheduler.schedule(options: options) { self.drainHere() }
  }

  @usableFromInline
  override func batchIsOver() -> Bool {
    lock.lock()
    handover = .offered
    lock.unlock()
    scheduler.schedule(options: options) { self.takeOver() }
    lock.lock()
    let isDeclined = handover == .declined
    handover = .none
    lock.unlock()
    return isDeclined
  }

  /// Goes on with the delivery, unless the job that is to hand it over has not ended yet: a scheduler that runs jobs
  /// where they are scheduled would nest one batch in the other, and overflow the stack.
  private func takeOver() {
    lock.lock()
    guard handover == .none else {
      handover = .declined
      lock.unlock()
      return
    }
    lock.unlock()
    drainHere()
  }

  @usableFromInline
  override func releaseInputs() {
    link.cancel()
  }
}
