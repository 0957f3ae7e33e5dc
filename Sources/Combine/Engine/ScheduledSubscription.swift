import InterflowPrimitives

/// The base class of operators that deliver each signal in a scheduled closure of its own, so that other work of the
/// scheduler keeps its place between them.
///
/// A closure delivers the first signal that is buffered, whichever it was scheduled for: signals overtake neither each
/// other nor the completion, on a concurrent scheduler either. A closure that finds another thread delivering leaves
/// its signal to that thread. One on the delivering thread itself, as of a scheduler that runs closures where they are
/// scheduled, delivers at once, nested.
///
/// An operator that counts demand buffers one value at most: the newest that lacks nothing but demand. It is delivered
/// when somebody requests one, and a regular completion comes after it; a failure does not wait, and drops it.
///
/// A subclass is final and declares itself a `Subscriber`. Its state is guarded by `lock`.
@usableFromInline
class ScheduledSubscription<Context: Scheduler, Downstream: Subscriber>: EngineSubscription {
  @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

  @usableFromInline final let link: UpstreamLink
  @usableFromInline final let scheduler: Context
  @usableFromInline final let options: Context.SchedulerOptions?

  // Whether demand is counted here; it is passed on to upstream otherwise.
  @usableFromInline final let countsDemand: Bool

  // Has the scheduler run `deliver`, with what it has made for that once and for all; see ``reuseWorkItem()``.
  @usableFromInline @exclusivity(unchecked) final var scheduleAgain: (() -> Void)?

  @usableFromInline final let turn = Turn()

  // Guarded by `lock`: everything below it. `due` counts the closures that have run and whose signals are still to be
  // delivered.
  @usableFromInline final let lock = Lock()
  @usableFromInline @exclusivity(unchecked) final var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) final var state = DeliveryState<Downstream.Input, Completion>(
    .awaitingSubscription)
  @usableFromInline @exclusivity(unchecked) final var due = 0
  // Whether a closure is scheduled because a buffered value has been requested.
  @usableFromInline @exclusivity(unchecked) final var hasScheduledRequest = false

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }

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

  /// There is a subscription, and the subscriber is about to receive its own.
  @usableFromInline
  func willSendSubscription() {}

  /// The subscriber has received its subscription.
  @usableFromInline
  func didSendSubscription() {}

  /// Upstream has completed, or the stream has ended: what is not due yet will not be delivered.
  @usableFromInline
  func releasePending() {}

  /// Delivers a buffered value that has been requested, in the closure that runs already.
  @usableFromInline
  func serveRequest() {
    deliver()
  }

  /// Whether a cancellation before the subscription has that cancelled when it comes. It is forgotten otherwise.
  @usableFromInline
  var servesEarlyCancellation: Bool { false }

  // MARK: Signals

  @usableFromInline
  final func receive(subscription: any Subscription) {
    guard link.link(subscription) else { return }
    willSendSubscription()
    let me = currentThreadIdentity()
    // Other threads' closures leave their signals until the end of this, so that the subscriber never sees two at once.
    let previous = turn.enter(me)
    lock.lock()
    let downstream = self.downstream
    if !state.isOver { state.phase = .open }
    lock.unlock()
    downstream?.receive(subscription: self)
    lock.lock()
    let due = self.downstream == nil ? 0 : self.due
    self.due = 0
    lock.unlock()
    while !turn.leave(me, previous) { turn.clearWork() }
    for _ in 0..<due { scheduleDelivery() }
    if link.isLinked { didSendSubscription() }
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

  /// With the lock: buffers a value that is due, in place of an older one that nobody has requested.
  ///
  /// - Returns: The older one, to be released without the lock.
  @inlinable
  final func replaceBuffered(with value: Downstream.Input) -> Downstream.Input? {
    lock.assertHeld()
    let older = state.takeOldest()
    state.append(value)
    return older
  }

  /// With the lock: whether a value is buffered only because nobody has requested it.
  @inlinable final var lacksDemand: Bool {
    lock.assertHeld()
    return !state.hasDemand && !state.buffer.isEmpty
  }

  /// Ends the stream after the values that are buffered.
  ///
  /// - Returns: Whether it ends now.
  @usableFromInline
  final func end(with completion: Completion) -> Bool {
    lock.lock()
    let isEnd = state.ended(with: completion)
    lock.unlock()
    return isEnd
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

  /// Schedules deliveries in the way that costs least, if the scheduler has one.
  @inlinable
  final func reuseWorkItem() {
    guard options == nil, let scheduler = scheduler as? any ReusesWorkItems else { return }
    // Does not keep the subscription alive, or it would never be released; each scheduled run does, until it has run.
    let subscription = Unmanaged.passUnretained(self)
    scheduleAgain = scheduler.reusing { subscription.takeRetainedValue().deliver() }
  }

  /// Delivers signals in the closure that runs already: its own, and those that other closures leave behind meanwhile.
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
      // There is no other closure for a completion that is buffered behind the value.
      if countsDemand, state.terminal != nil { due += 1 }
      lock.unlock()
      let more = downstream.receive(value)
      if more != .none { requested(more) }
      return true
    }
    endUnlocking(downstream)
    return true
  }

  /// With the lock, which it gives back: releases everything and delivers the completion, if it is due.
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

  /// The subscriber has requested more, by a request or with what it returned for a value.
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
