import InterflowPrimitives

/// The base class of operators that forward demand and deliver each signal in its own scheduled closure, so that other
/// work of the scheduler can run between two signals.
///
/// A closure delivers the first buffered signal, even if it was scheduled for another one. So the order is kept on a
/// concurrent scheduler too. A closure that runs while another thread delivers leaves its signal to that thread. A
/// closure that runs on the delivering thread, as with a scheduler that runs closures immediately, makes a nested
/// delivery.
///
/// A subclass calls ``bufferUntilDue(_:)`` with a value, and ``scheduleDelivery()`` or ``deliver(_:)``, in a closure
/// that it schedules itself, once for each signal.
@usableFromInline
class EachScheduledSubscription<Context: Scheduler, Downstream: Subscriber>: ScheduledSubscription<Context, Downstream>
{
  // The demand in the core counts the closures that have run and whose signals are still to be delivered.

  // Schedules `deliver` with a work item that the scheduler has made once; see ``reuseWorkItem()``.
  @usableFromInline @exclusivity(unchecked) final var scheduleAgain: (() -> Void)?

  @inlinable
  init(
    _ downstream: Downstream, _ name: OperatorName, _ scheduler: Context, _ options: Context.SchedulerOptions?
  ) {
    super.init(downstream, name, scheduler, options) {
      let subscription = unsafeDowncast($0, to: EachScheduledSubscription<Context, Downstream>.self)
      if $1 == .deliverBuffered { while subscription.deliverDue() {} } else { subscription.performTyped($1) }
    }
  }

  // MARK: Signals

  /// Buffers a value until a closure delivers it.
  ///
  /// - Returns: Whether it will be delivered.
  @inlinable
  final func bufferUntilDue(_ value: Downstream.Input) -> Bool {
    core.lock.lock()
    // One copy, so that it is checked once.
    let due = core.demand
    let isAccepted = signals.isAccepting(due)
    if isAccepted { signals.append(((), value), due) }
    core.lock.unlock()
    return isAccepted
  }

  /// Buffers the completion until a closure delivers it.
  ///
  /// - Returns: Whether it will be delivered: there was neither a completion nor a cancellation before.
  @usableFromInline
  final func bufferUntilDue(_ completion: Completion) -> Bool { close(completion, needsDemand: true) }

  @usableFromInline
  override func receive(completion: Completion) {
    if link.finish(keepsUpstream: true), bufferUntilDue(completion) { scheduleDelivery() }
  }

  // MARK: Delivery

  /// Schedules the delivery of one signal as soon as possible.
  @inlinable
  final func scheduleDelivery() {
    if let scheduleAgain {
      _ = Unmanaged.passRetained(self)
      scheduleAgain()
    } else {
      scheduler.scheduleKept(options: options) { self.deliver() }
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
    core.lock.lock()
    var due = core.demand
    due.add(UInt(count))
    core.demand = due
    core.lock.unlock()
    let me = currentThreadIdentity()
    guard let previous = core.turn.enterOrRequestWork(me) else { return }
    while deliverDue() {}
    leaveTurn(me, previous)
  }

  /// Delivers all buffered signals, although closures that are scheduled for them have not run.
  @usableFromInline
  final func deliverAll() {
    core.lock.lock()
    let count = signals.elements.count + 1
    core.lock.unlock()
    deliver(count)
  }

  /// Delivers the next signal, if one is due. With the turn.
  ///
  /// - Returns: Whether another was due before the call of the subscriber. A closure that has run since then on another
  ///   thread has marked the turn.
  @inlinable
  final func deliverDue() -> Bool {
    core.lock.lock()
    // A copy, as in `deliverNext()`.
    var due = core.demand
    guard due.allowsElement, let downstream else {
      core.lock.unlock()
      return false
    }
    guard let (_, value) = signals.takeNext(&due) else {
      completeUnlocking(downstream)
      return false
    }
    core.demand = due
    core.lock.unlock()
    let more = downstream.receive(value)
    if more != .none { link.request(more) }
    return !due.isNone
  }

  /// With the lock, which it releases: delivers the completion, if there is one.
  @usableFromInline
  final func completeUnlocking(_ downstream: Downstream) {
    core.lock.assertHeld()
    var due = core.demand
    let terminal = signals.takeTerminal(&due)
    core.demand = due
    if terminal != nil { self.downstream = nil }
    core.lock.unlock()
    guard let terminal else { return }
    link.releaseUpstream()
    cancelInputs()
    downstream.receive(completion: terminal)
  }

  // MARK: From the base class

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    link.request(demand)
  }

  /// The subscriber has received its subscription: schedules closures for the signals that others have left meanwhile.
  @usableFromInline
  final override func serve() {
    core.lock.lock()
    let due = core.demand.isOver ? 0 : core.demand.count
    if due > 0 { core.demand = DeliveryDemand(core.demand.phase) }
    core.lock.unlock()
    for _ in 0..<due { scheduleDelivery() }
  }
}
