import InterflowPrimitives

/// The base class of operators that deliver each signal in its own scheduled closure, so that other work of the
/// scheduler can run between two signals.
///
/// A closure delivers the first buffered signal, even if it was scheduled for another one. So the order is kept on a
/// concurrent scheduler too. A closure that runs while another thread delivers leaves its signal to that thread. A
/// closure that runs on the delivering thread, as with a scheduler that runs closures immediately, makes a nested
/// delivery.
///
/// An operator that counts demand buffers at most one value that is due: the newest. The value is delivered when it is
/// requested, and then a regular completion. A failure does not wait for demand: it drops the value.
///
/// A subclass is final and conforms to ``OperatorSubscriber``. Its state is guarded by `lock`.
@usableFromInline
class ScheduledSubscription<Context: Scheduler, Downstream: Subscriber>: EngineSubscription {
  @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

  @usableFromInline final let link: UpstreamLink
  @usableFromInline final let scheduler: Context
  @usableFromInline final let options: Context.SchedulerOptions?

  // Whether demand is counted here. Otherwise it is forwarded to upstream.
  @usableFromInline final let countsDemand: Bool

  // Schedules `deliver` with a work item that the scheduler has made once; see ``reuseWorkItem()``.
  @usableFromInline @exclusivity(unchecked) final var scheduleAgain: (() -> Void)?

  @usableFromInline final let turn = Turn()

  // Guarded by `lock`: everything below it. `due` counts the closures that have run and whose signals are still to be
  // delivered.
  @usableFromInline final let lock = Lock()
  @usableFromInline @exclusivity(unchecked) final var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) final var state = DeliveryState<Downstream.Input, Completion>(
    .awaitingSubscription)
  @usableFromInline @exclusivity(unchecked) final var due = 0
  // Whether a closure is scheduled that will deliver a buffered value, because it has been requested.
  @usableFromInline @exclusivity(unchecked) final var hasScheduledRequest = false

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }
  // For a subclass that conforms to `Subscriber` only, which would have depth zero otherwise.
  @inlinable static var _specializationDepth: Int { specializationDepth }

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
    if !countsDemand { state.requested(PackedDemand.unlimited) }
  }

  // MARK: Called without the lock

  /// Upstream has sent its subscription, and the subscriber is about to receive its own.
  @usableFromInline
  func willSendSubscription() {}

  /// The subscriber has received its subscription.
  @usableFromInline
  func didSendSubscription() {}

  /// Upstream has completed, or the stream has ended: values that are not due yet will not be delivered.
  @usableFromInline
  func releasePending() {}

  /// Delivers a buffered value that has been requested. Called in a scheduled closure.
  @usableFromInline
  func serveRequest() {
    deliver()
  }

  /// Whether a cancellation before the subscription cancels the subscription when it arrives. Otherwise an early
  /// cancellation is ignored.
  @usableFromInline
  var servesEarlyCancellation: Bool { false }

  // MARK: Signals

  @usableFromInline
  final func receive(subscription: any Subscription) {
    guard link.link(subscription) else { return }
    willSendSubscription()
    let me = currentThreadIdentity()
    // Closures on other threads leave their signals until the turn is left, so that the subscriber never receives two
    // signals at once.
    let previous = turn.enter(me)
    lock.lock()
    let downstream = self.downstream
    if !state.isOver { state.phase = .open }
    lock.unlock()
    downstream?.receive(subscription: self)
    for _ in 0..<leaveTurnTakingDue(me, previous) { scheduleDelivery() }
    if link.isLinked { didSendSubscription() }
  }

  /// Leaves the turn without delivering what other closures have left.
  ///
  /// - Returns: How many signals are due, to be delivered in new closures.
  private final func leaveTurnTakingDue(_ me: UInt, _ previous: UInt) -> Int {
    var taken = 0
    repeat {
      // Cleared before it is looked for: a closure that leaves its signal from here on marks the turn again.
      turn.clearWork()
      lock.lock()
      taken += due
      due = 0
      lock.unlock()
    } while !turn.leave(me, previous)
    return hasDownstream ? taken : 0
  }

  private final var hasDownstream: Bool {
    lock.lock()
    defer { lock.unlock() }
    return downstream != nil
  }

  @usableFromInline
  func receive(completion: Completion) {
    guard link.finishKeepingUpstream() else { return }
    releasePending()
    if end(with: completion) { scheduleDelivery() }
  }

  /// Buffers a value until its closure runs.
  ///
  /// - Returns: Whether it will be delivered.
  @inlinable
  final func buffer(_ value: Downstream.Input) -> Bool {
    lock.lock()
    let isAccepted = state.isAccepting
    if isAccepted { state.append(value) }
    lock.unlock()
    return isAccepted
  }

  /// With the lock: buffers a value that is due, in place of an older one that has not been requested.
  ///
  /// - Returns: The older one, which the caller releases outside the lock.
  @inlinable
  final func replaceBuffered(with value: Downstream.Input) -> Downstream.Input? {
    lock.assertHeld()
    let older = state.takeOldest()
    state.append(value)
    return older
  }

  /// With the lock: whether a value is buffered only because it has not been requested.
  @inlinable final var lacksDemand: Bool {
    lock.assertHeld()
    return !state.hasDemand && !state.buffer.isEmpty
  }

  /// Buffers the completion after the values that are buffered.
  ///
  /// - Returns: Whether this is the first completion.
  @usableFromInline
  final func end(with completion: Completion) -> Bool {
    lock.lock()
    let isFirst = state.ended(with: completion)
    lock.unlock()
    return isFirst
  }

  // MARK: Delivery

  /// Schedules the delivery of one signal as soon as possible.
  @inlinable
  final func scheduleDelivery() {
    if let scheduleAgain {
      _ = Unmanaged.passRetained(self)
      scheduleAgain()
    } else {
      scheduler.schedule(options: options) { self.deliver() }
    }
  }

  /// Schedules all deliveries with one work item, if the scheduler supports that.
  @inlinable
  final func reuseWorkItem() {
    guard options == nil, let scheduler = scheduler as? any ReusesWorkItems else { return }
    // The work item does not retain the subscription, which would never be released. Each scheduled run does, until it
    // has run.
    let subscription = Unmanaged.passUnretained(self)
    scheduleAgain = scheduler.reusing { subscription.takeRetainedValue().deliver() }
  }

  /// Delivers signals in a scheduled closure: its own, and those that closures on other threads leave during the
  /// delivery.
  @inlinable
  final func deliver(_ count: Int = 1) {
    lock.lock()
    due += count
    lock.unlock()
    let me = currentThreadIdentity()
    guard let previous = turn.enterOrRequestWork(me) else { return }
    repeat {
      turn.clearWork()
      while deliverNext() {}
    } while !turn.leave(me, previous)
  }

  /// Delivers the next signal, if one is due. With the turn.
  ///
  /// - Returns: Whether another may be.
  @inlinable
  final func deliverNext() -> Bool {
    lock.lock()
    guard due > 0, state.phase == .open, let downstream else {
      lock.unlock()
      return false
    }
    due -= 1
    if let value = state.takeNext() {
      // No other closure is scheduled for a completion that is buffered behind the value.
      if countsDemand, state.terminal != nil { due += 1 }
      lock.unlock()
      let more = downstream.receive(value)
      if more != .none { requested(more) }
      return true
    }
    endUnlocking(downstream)
    return true
  }

  /// With the lock, which it releases: delivers the completion, if it is due, and releases everything.
  @usableFromInline
  final func endUnlocking(_ downstream: Downstream) {
    lock.assertHeld()
    // A failure does not wait for demand.
    let isFailure = state.terminal?.isFailure ?? false
    let dropped = isFailure ? state.takeNewest(state.unrequestedCount) : []
    let terminal = state.takeTerminal()
    if terminal != nil { self.downstream = nil }
    lock.unlock()
    releaseOutsideLock(dropped)
    guard let terminal else { return }
    releasePending()
    link.releaseUpstream()
    downstream.receive(completion: terminal)
  }

  // MARK: Subscription

  /// The subscriber has requested more, by a request or by the demand that it returned for a value.
  @usableFromInline
  final func requested(_ more: Subscribers.Demand) {
    guard countsDemand else { return link.request(more) }
    lock.lock()
    state.requested(more.rawValue)
    let isDue = !hasScheduledRequest && state.hasDemand && !state.buffer.isEmpty
    if isDue { hasScheduledRequest = true }
    lock.unlock()
    guard isDue else { return }
    scheduler.schedule(options: options) {
      self.lock.lock()
      self.hasScheduledRequest = false
      self.lock.unlock()
      self.serveRequest()
    }
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    requested(demand)
  }

  @usableFromInline
  final override func cancel() {
    if link.isWaiting, !servesEarlyCancellation { return }
    lock.lock()
    let downstream = self.downstream
    self.downstream = nil
    let dropped = state.cancelled()
    lock.unlock()
    releaseOutsideLock(dropped)
    guard downstream != nil else { return }
    releasePending()
    link.cancel()
    releaseOutsideLock(downstream)
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

extension Subscribers.Completion {
  /// Whether this is a failure.
  @inlinable
  var isFailure: Bool { if case .failure = self { true } else { false } }
}
