import InterflowPrimitives

/// What an operator stands on that has a scheduler deliver each signal in a job of its own, so that other work of the
/// scheduler keeps its place between them.
///
/// A job delivers the signal in front, whichever it was scheduled for: signals overtake neither each other nor the
/// completion, on a concurrent scheduler either. A job that finds another thread delivering leaves its signal to that
/// thread. One on the delivering thread itself, as of a scheduler that runs jobs where they are scheduled, delivers at
/// once, nested.
///
/// A subclass is final and declares itself a `Subscriber`. Its state is guarded by `lock`.
@usableFromInline
class ScheduledStage<Context: Scheduler, Downstream: Subscriber>: EngineSubscription {
  @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

  @usableFromInline final let link: UpstreamLink
  @usableFromInline final let scheduler: Context
  @usableFromInline final let options: Context.SchedulerOptions?

  // Whether what the subscriber asks for is counted here; it is passed on to upstream otherwise.
  @usableFromInline final let countsDemand: Bool

  // Hands `deliver` over to the scheduler, which has made what it needs for that once and for all; see `reuseJob`.
  @usableFromInline @exclusivity(unchecked) final var scheduleAgain: (() -> Void)?

  // Guarded by `lock`: everything below it. `owner` is the thread that delivers, or nobody's while there is no
  // subscription; `left` counts the jobs that have run and whose signals are still to be delivered.
  @usableFromInline final let lock = Lock()
  @usableFromInline @exclusivity(unchecked) final var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) final var waiting = RingBuffer<Downstream.Input>()
  @usableFromInline @exclusivity(unchecked) final var terminal: Completion?
  @usableFromInline @exclusivity(unchecked) final var owner = UInt.max
  @usableFromInline @exclusivity(unchecked) final var left = 0
  @usableFromInline @exclusivity(unchecked) final var demand = Subscribers.Demand.none

  @inlinable static var _chainWeight: Int { Downstream._chainWeight + ChainWeight.stage }

  @inlinable
  init(
    _ downstream: Downstream, _ name: OperatorName, _ scheduler: Context, _ options: Context.SchedulerOptions?,
    countsDemand: Bool = false
  ) {
    self.downstream = downstream
    self.scheduler = scheduler
    self.options = options
    self.countsDemand = countsDemand
    link = UpstreamLink(name)
  }

  // MARK: What a subclass is told, always without the lock

  /// There is a subscription, which the subscriber is going to be handed.
  @usableFromInline
  func willIntroduce() {}

  /// The subscriber has been handed its subscription.
  @usableFromInline
  func subscribed() {}

  /// Upstream has completed, or the stream has ended: what still waits for its time is not wanted any more.
  @usableFromInline
  func letGo() {}

  // MARK: Signals

  @usableFromInline
  final func receive(subscription: any Subscription) {
    guard link.link(subscription) else { return }
    willIntroduce()
    lock.lock()
    let downstream = self.downstream
    // Other threads' jobs wait for the end of this, so that the subscriber never sees two threads at once.
    owner = currentThreadIdentity()
    lock.unlock()
    downstream?.receive(subscription: self)
    lock.lock()
    owner = 0
    let left = self.downstream == nil ? 0 : self.left
    self.left = 0
    lock.unlock()
    for _ in 0..<left { scheduleDelivery() }
    if link.isLinked { subscribed() }
  }

  @usableFromInline
  func receive(completion: Completion) {
    guard link.finish() else { return }
    letGo()
    if end(with: completion) { scheduleDelivery() }
  }

  /// Lets a value wait for its job.
  ///
  /// - Returns: Whether it is wanted.
  @inlinable
  final func keep(_ value: Downstream.Input) -> Bool {
    lock.lock()
    let isWanted = downstream != nil && terminal == nil
    if isWanted { waiting.append(value) }
    lock.unlock()
    return isWanted
  }

  /// Ends the stream after the values that wait.
  ///
  /// - Returns: Whether it ends now.
  @usableFromInline
  final func end(with completion: Completion) -> Bool {
    lock.lock()
    let isEnd = downstream != nil && terminal == nil
    if isEnd { terminal = completion }
    lock.unlock()
    return isEnd
  }

  // MARK: Delivery

  /// Has the scheduler deliver one signal as soon as possible.
  @inlinable
  final func scheduleDelivery() {
    if let scheduleAgain {
      _ = Unmanaged.passRetained(self)
      scheduleAgain()
    } else {
      scheduler.schedule(options: options) { self.deliver() }
    }
  }

  /// Delivers signals in the job that runs already: its own, and those that other jobs leave behind meanwhile.
  @inlinable
  final func deliver(_ count: Int = 1) {
    let thread = currentThreadIdentity()
    lock.lock()
    left += count
    guard owner == 0 || owner == thread, let downstream else {
      lock.unlock()
      return
    }
    let outer = owner
    owner = thread
    while left > 0, self.downstream != nil {
      left -= 1
      if deliverFirstUnlocking(to: downstream) {
        lock.lock()
      } else if let terminal {
        self.downstream = nil
        lock.unlock()
        letGo()
        downstream.receive(completion: terminal)
        return
      }
    }
    owner = outer
    lock.unlock()
    // The subscriber may have cancelled and let go of itself meanwhile: it is not released with the lock.
    withExtendedLifetime(downstream) {}
  }

  /// With the lock, which it gives back if there is a value to deliver. The value has been let go of when this returns,
  /// for that may run anybody's code, which is not to be done with the lock.
  ///
  /// - Returns: Whether there was.
  @inlinable
  final func deliverFirstUnlocking(to downstream: Downstream) -> Bool {
    guard let value = waiting.popFirst() else { return false }
    lock.unlock()
    let more = downstream.receive(value)
    if more != .none { asked(more) }
    return true
  }

  // MARK: Subscription

  /// The subscriber has asked for more, by a request or with the value that it took.
  @usableFromInline
  final func asked(_ more: Subscribers.Demand) {
    guard countsDemand else { return link.request(more) }
    lock.lock()
    demand += more
    lock.unlock()
  }

  @usableFromInline
  final override func request(_ demand: Subscribers.Demand) {
    asked(demand)
  }

  @usableFromInline
  final override func cancel() {
    var dropped = RingBuffer<Downstream.Input>()
    lock.lock()
    let downstream = self.downstream
    self.downstream = nil
    swap(&dropped, &waiting)
    let terminal = self.terminal.take()
    lock.unlock()
    withExtendedLifetime((dropped, terminal)) {}
    guard downstream != nil else { return }
    letGo()
    link.cancel()
    withExtendedLifetime(downstream) {}
  }

  @usableFromInline final override var description: String { link.description }

  @usableFromInline override var customMirror: Mirror {
    lock.lock()
    let downstream = self.downstream
    lock.unlock()
    return Mirror(self, children: ["downstream": Self.shown(downstream), "status": link.status])
  }

  /// A subscriber as a mirror shows it.
  static func shown(_ downstream: Downstream?) -> Any { downstream.map { $0 as Any } ?? downstream as Any }
}
