import InterflowPrimitives

/// The base class of operators that deliver each signal in a scheduled closure of its own, so that other work of the
/// scheduler keeps its place between them.
///
/// A closure delivers the first signal that is buffered, whichever it was scheduled for: signals overtake neither each
/// other nor the completion, on a concurrent scheduler either. A closure that finds another thread delivering leaves its
/// signal to that thread. One on the delivering thread itself, as of a scheduler that runs closures where they are
/// scheduled, delivers at once, nested.
///
/// An operator that counts demand buffers one value at most: the newest that lacks nothing but demand. It is delivered
/// when somebody requests one, and a regular completion comes after it; a failure does not wait, and drops it.
///
/// A subclass is final and declares itself a `Subscriber`. Its state is guarded by `lock`.
@usableFromInline
class ScheduledStage<Context: Scheduler, Downstream: Subscriber>: EngineSubscription {
  @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

  @usableFromInline final let link: UpstreamLink
  @usableFromInline final let scheduler: Context
  @usableFromInline final let options: Context.SchedulerOptions?

  // Whether demand is counted here; it is passed on to upstream otherwise.
  @usableFromInline final let countsDemand: Bool

  // Has the scheduler run `deliver`, with what it has made for that once and for all; see `reuseJob`.
  @usableFromInline @exclusivity(unchecked) final var scheduleAgain: (() -> Void)?

  // Guarded by `lock`: everything below it. `owner` is the thread that delivers, or nobody's while there is no
  // subscription; `left` counts the closures that have run and whose signals are still to be delivered.
  @usableFromInline final let lock = Lock()
  @usableFromInline @exclusivity(unchecked) final var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) final var waiting = RingBuffer<Downstream.Input>()
  @usableFromInline @exclusivity(unchecked) final var terminal: Completion?
  @usableFromInline @exclusivity(unchecked) final var owner = UInt.max
  @usableFromInline @exclusivity(unchecked) final var left = 0
  @usableFromInline @exclusivity(unchecked) final var demand = Subscribers.Demand.none
  // Whether a closure is scheduled because a buffered value has been requested.
  @usableFromInline @exclusivity(unchecked) final var servesRequest = false

  @inlinable static var _specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }

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
  var countsEarlyCancellation: Bool { false }

  // MARK: Signals

  @usableFromInline
  final func receive(subscription: any Subscription) {
    guard link.link(subscription) else { return }
    willSendSubscription()
    lock.lock()
    let downstream = self.downstream
    // Other threads' closures wait for the end of this, so that the subscriber never sees two threads at once.
    owner = currentThreadIdentity()
    lock.unlock()
    downstream?.receive(subscription: self)
    lock.lock()
    owner = 0
    let left = self.downstream == nil ? 0 : self.left
    self.left = 0
    lock.unlock()
    for _ in 0..<left { scheduleDelivery() }
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
  final func keep(_ value: Downstream.Input) -> Bool {
    lock.lock()
    let isWanted = downstream != nil && terminal == nil
    if isWanted { waiting.append(value) }
    lock.unlock()
    return isWanted
  }

  /// With the lock: buffers a value that is due, in place of an older one that nobody has requested.
  ///
  /// - Returns: The older one, to be released without the lock.
  @inlinable
  final func keepNewest(_ value: Downstream.Input) -> Downstream.Input? {
    let older = waiting.popFirst()
    waiting.append(value)
    return older
  }

  /// With the lock: whether a value is buffered only because nobody has requested it.
  @inlinable final var lacksDemand: Bool { demand == .none && !waiting.isEmpty }

  /// Ends the stream after the values that are buffered.
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

  /// Delivers signals in the closure that runs already: its own, and those that other closures leave behind meanwhile.
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
        // There is no other closure for a completion that has waited behind the value.
        if countsDemand, terminal != nil { left += 1 }
      } else if let terminal, !countsDemand || waiting.isEmpty || terminal.isFailure {
        endUnlocking()
        downstream.receive(completion: terminal)
        return
      }
    }
    owner = outer
    lock.unlock()
    // The subscriber may have cancelled and released itself meanwhile: it is not deallocated with the lock.
    withExtendedLifetime(downstream) {}
  }

  /// With the lock, which it gives back if there is a value to deliver. The value has been released when this returns,
  /// for that may run anybody's code, which is not to be done with the lock.
  ///
  /// - Returns: Whether there was.
  @inlinable
  final func deliverFirstUnlocking(to downstream: Downstream) -> Bool {
    if countsDemand {
      if lacksDemand { return false }
    }
    guard let value = waiting.popFirst() else { return false }
    if countsDemand { demand -= 1 }
    lock.unlock()
    let more = downstream.receive(value)
    if more != .none { requested(more) }
    return true
  }

  /// With the lock, which it gives back: releases everything, since the completion is about to be delivered.
  @usableFromInline
  final func endUnlocking() {
    var dropped = RingBuffer<Downstream.Input>()
    downstream = nil
    terminal = nil
    swap(&dropped, &waiting)
    lock.unlock()
    withExtendedLifetime(dropped) {}
    releasePending()
    link.releaseUpstream()
  }

  // MARK: Subscription

  /// The subscriber has requested more, by a request or with what it returned for a value.
  @usableFromInline
  final func requested(_ more: Subscribers.Demand) {
    guard countsDemand else { return link.request(more) }
    lock.lock()
    demand += more
    let isDue = !servesRequest && demand != .none && !waiting.isEmpty
    if isDue { servesRequest = true }
    lock.unlock()
    guard isDue else { return }
    scheduler.schedule(options: options) {
      self.lock.lock()
      self.servesRequest = false
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
    if link.isWaiting, !countsEarlyCancellation { return }
    var dropped = RingBuffer<Downstream.Input>()
    lock.lock()
    let downstream = self.downstream
    self.downstream = nil
    swap(&dropped, &waiting)
    let terminal = self.terminal.take()
    lock.unlock()
    withExtendedLifetime((dropped, terminal)) {}
    guard downstream != nil else { return }
    releasePending()
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

extension Subscribers.Completion {
  /// Whether this is a failure.
  @inlinable
  var isFailure: Bool { if case .failure = self { true } else { false } }
}
