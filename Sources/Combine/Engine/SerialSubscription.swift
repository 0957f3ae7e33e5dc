import InterflowPrimitives

/// The base class of operators that receive signals from several threads, or that buffer values. It delivers signals
/// one at a time, and never more values than requested.
///
/// A subclass decides how a value is delivered. An operator that joins publishers enters the turn, for which it may
/// have to wait, and calls ``deliverAtOnce(_:)``, also during another delivery on the same thread. An operator that
/// decouples its upstream never waits: ``enqueue(_:_:_:)`` buffers the value if another thread delivers, and returns.
/// The thread that has the turn delivers buffered values.
///
/// What needs no types is in ``CoreSubscription``.
@usableFromInline
class SerialSubscription<Tag, Downstream: Subscriber>: CoreSubscription {
  @usableFromInline typealias Output = Downstream.Input
  @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

  // Guarded by the core's lock: all three. `downstream` is `nil` after the end.
  @usableFromInline @exclusivity(unchecked) final var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) final var signals = DeliveryBuffer<(Tag, Output), Completion>()
  @usableFromInline @exclusivity(unchecked) final var dropsUnrequestedAfterSubscription = false

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }
  // For a subclass that conforms to `Subscriber` only, which would have depth zero otherwise.
  @inlinable static var _specializationDepth: Int { specializationDepth }

  /// - Parameter phase: `awaitingSubscription` if values may arrive before ``sendSubscription()``; they are buffered
  ///   until then.
  @inlinable
  init(_ downstream: Downstream, _ name: OperatorName, _ phase: DeliveryDemand.Phase = .open) {
    self.downstream = downstream
    super.init(name, phase) { unsafeDowncast($0, to: SerialSubscription<Tag, Downstream>.self).performTyped($1) }
  }

  /// - Parameter act: Calls ``performTyped(_:)``, except to release values that the turn guards.
  @inlinable
  init(
    _ downstream: Downstream, _ name: OperatorName, _ phase: DeliveryDemand.Phase,
    act: @escaping (CoreSubscription, DeliveryAction) -> Void
  ) {
    self.downstream = downstream
    super.init(name, phase, act)
  }

  @inlinable
  final func performTyped(_ action: DeliveryAction) {
    switch action {
    case .sendSubscription: currentDownstream?.receive(subscription: self)
    case .subscriptionIsSent: dropUnrequestedAfterSubscription()
    case .deliverBuffered: while deliverNext() {}
    case .releaseSubscriber: releaseSubscriber()
    case .releaseValues: break
    }
  }

  // MARK: What a subclass overrides. No lock is held.

  /// A buffered value has been delivered. With the turn.
  @usableFromInline
  func didDeliver(_ tag: Tag) {}

  /// The buffer has no room for a value.
  @usableFromInline
  func overflow(_ value: Output) {}

  // MARK: Values

  /// Delivers a value, if it has been requested and no other is buffered before it. With the turn.
  ///
  /// - Returns: The demand that the subscriber returns, which the caller must forward; `nil` if the value was not
  ///   delivered.
  @inlinable
  @inline(__always)
  final func deliverAtOnce(_ value: Output) -> Subscribers.Demand? {
    core.lock.lock()
    guard let downstream = takeDemandForImmediateDelivery() else {
      core.lock.unlock()
      return nil
    }
    core.lock.unlock()
    return deliver(value, to: downstream)
  }

  /// With the lock: takes one from the demand for a value that the caller delivers without buffering it.
  ///
  /// - Returns: The subscriber; `nil` if the value has not been requested, or another is buffered before it.
  @inlinable
  @inline(__always)
  final func takeDemandForImmediateDelivery() -> Downstream? {
    core.lock.assertHeld()
    return signals.isEmpty && core.takeDemand() ? downstream : nil
  }

  @inlinable
  @inline(__always)
  final func deliver(_ value: Output, to downstream: Downstream) -> Subscribers.Demand {
    let isNested = core.isCallingSubscriber
    core.isCallingSubscriber = true
    let more = downstream.receive(value)
    core.isCallingSubscriber = isNested
    if more != .none { returned(more) }
    return more
  }

  /// Adds demand that the subscriber has returned. The caller forwards it, and then leaves the turn.
  @inlinable
  final func returned(_ more: Subscribers.Demand) {
    core.lock.lock()
    core.returnedWithLock(more.rawValue)
    let hasBuffered = !signals.isEmpty
    core.lock.unlock()
    // What was sent from inside the subscriber's call has waited for this.
    if hasBuffered { core.turn.markWork() }
  }

  /// Buffers a value, and delivers the buffered values that have been requested. With the turn.
  @usableFromInline
  final func buffer(_ value: Output, _ tag: Tag) {
    core.lock.lock()
    append(value, tag)
    let isDeliverable = self.isDeliverable
    core.lock.unlock()
    if isDeliverable { deliverBuffered() }
  }

  /// Buffers a value, which is delivered when the thread leaves the turn. With the turn.
  @usableFromInline
  final func bufferUntilTurnEnds(_ value: Output, _ tag: Tag) {
    core.lock.lock()
    append(value, tag)
    core.lock.unlock()
    core.turn.markWork()
  }

  /// Delivers the buffered signals that have been requested, also during a call of the subscriber. With the turn.
  @usableFromInline
  final func deliverBuffered() {
    let isNested = core.isCallingSubscriber
    core.isCallingSubscriber = false
    perform(.deliverBuffered)
    core.isCallingSubscriber = isNested
  }

  /// Delivers a value if it has been requested and no other thread delivers; buffers it otherwise. Never waits.
  ///
  /// - Parameter capacity: How many values the buffer has room for. For a value beyond that, ``overflow(_:)`` is
  ///   called.
  /// - Returns: Whether the value was delivered immediately.
  @inlinable
  @discardableResult
  final func enqueue(_ value: Output, _ tag: Tag, _ capacity: Int = .max) -> Bool {
    let me = currentThreadIdentity()
    core.lock.lock()
    if !core.demand.isNone, core.turn.tryEnter(me) {
      if let downstream = takeDemandForImmediateDelivery() {
        core.lock.unlock()
        _ = deliver(value, to: downstream)
        leaveTurn(me, 0)
        return true
      }
      core.lock.unlock()
      // Values buffered before this one are delivered first, which may make room.
      deliverBuffered()
      leaveTurn(me, 0)
      core.lock.lock()
    }
    let hasRoom = signals.elements.count < capacity
    if hasRoom { append(value, tag) }
    core.lock.unlock()
    if !hasRoom { overflow(value) }
    core.lock.lock()
    let isDeliverable = self.isDeliverable
    core.lock.unlock()
    if isDeliverable { serve() }
    return false
  }

  // MARK: With the lock

  /// Whether values and a completion are still accepted.
  @inlinable final var isAccepting: Bool { signals.isAccepting(core.demand) }

  /// Whether a buffered signal may be delivered now.
  @inlinable final var isDeliverable: Bool { signals.isDeliverable(core.demand) }

  /// Buffers a value. Ignores it after a completion or a cancellation.
  @inlinable
  final func append(_ value: Output, _ tag: Tag) {
    core.lock.assertHeld()
    signals.append((tag, value), core.demand)
  }

  // MARK: The end

  /// Ends the stream after the buffered values have been delivered. Never waits.
  @usableFromInline
  final func finishAfterBuffered(_ completion: Completion, dropsUnrequested: Bool = false, needsDemand: Bool = false) {
    close(completion, dropsUnrequested: dropsUnrequested, needsDemand: needsDemand)
    serve()
  }

  /// Ends the stream after the buffered values have been delivered: immediately if there are none, also during a call
  /// of the subscriber.
  ///
  /// - Parameters:
  ///   - dropsUnrequested: Whether values that have not been requested are dropped, so that the completion need not
  ///     wait.
  ///   - nests: Whether the completion may be delivered during a call of the subscriber, rather than after it.
  @usableFromInline
  final func finish(_ completion: Completion, dropsUnrequested: Bool = false, nests: Bool = true) {
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    close(completion, dropsUnrequested: dropsUnrequested)
    // The owner of a borrowed turn sleeps, so the completion cannot be left to it.
    if nests || previous != 0 && previous != me { deliverBuffered() } else { core.turn.markWork() }
    leaveTurn(me, previous)
  }

  /// Cancels the inputs and ends the stream with a failure, after the values that have been requested. Drops the
  /// others.
  @usableFromInline
  final func fail(_ completion: Completion) {
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    close(completion, dropsUnrequested: true)
    cancelInputs()
    deliverBuffered()
    leaveTurn(me, previous)
  }

  /// Stores the completion, so that later values are ignored, but delivers nothing.
  ///
  /// - Returns: Whether it was accepted: there was neither a completion nor a cancellation before.
  @usableFromInline
  @discardableResult
  final func close(
    _ completion: Completion, dropsUnrequested: Bool = false, needsDemand: Bool = false
  ) -> Bool {
    core.lock.lock()
    let isFirst = signals.end(with: completion, needsDemand: needsDemand, core.demand)
    // Before it has received its subscription, the subscriber cannot have requested anything.
    if isFirst, dropsUnrequested, !core.hasSentSubscription { dropsUnrequestedAfterSubscription = true }
    let drops = isFirst && dropsUnrequested && core.hasSentSubscription
    let dropped = drops ? signals.takeUnrequested(core.demand) : []
    core.lock.unlock()
    releaseOutsideLock(dropped)
    return isFirst
  }

  @inlinable
  final func dropUnrequestedAfterSubscription() {
    if dropsUnrequestedAfterSubscription { dropUnrequested() }
  }

  @usableFromInline
  final func dropUnrequested() {
    core.lock.lock()
    let dropped = signals.takeUnrequested(core.demand)
    core.lock.unlock()
    releaseOutsideLock(dropped)
  }

  // MARK: What needs the subscriber's type

  /// The subscriber; `nil` after completion or cancellation.
  @inlinable
  final var currentDownstream: Downstream? {
    core.lock.lock()
    let downstream = core.demand.isOver ? nil : self.downstream
    core.lock.unlock()
    return downstream
  }

  /// Delivers the next buffered signal, if it has been requested. With the turn.
  ///
  /// - Returns: Whether it was a value, so that another signal may be deliverable.
  @inlinable
  final func deliverNext() -> Bool {
    core.lock.lock()
    guard !core.demand.isOver, let downstream else {
      core.lock.unlock()
      perform(.releaseValues)
      return false
    }
    // A copy: ThreadSanitizer would take an access to `core.demand` itself for one that changes all of `core`.
    var demand = core.demand
    if let (tag, value) = signals.takeNext(&demand) {
      core.demand = demand
      core.lock.unlock()
      let more = deliver(value, to: downstream)
      if more != .none { addUnforwarded(more) }
      didDeliver(tag)
      return true
    }
    let terminal = signals.takeTerminal(&demand)
    core.demand = demand
    if terminal != nil { self.downstream = nil }
    core.lock.unlock()
    if let terminal {
      cancelInputs()
      perform(.releaseValues)
      downstream.receive(completion: terminal)
    }
    return false
  }

  @inlinable
  final func releaseSubscriber() {
    core.lock.lock()
    let downstream = self.downstream
    self.downstream = nil
    let dropped = signals.takeAll()
    core.lock.unlock()
    withExtendedLifetime((dropped, downstream)) { cancelInputs() }
  }

  @usableFromInline override var customMirror: Mirror {
    core.lock.lock()
    let (downstream, demand) = (self.downstream, core.demand)
    core.lock.unlock()
    return Mirror(
      self,
      children: [
        "downstream": downstream.map { $0 as Any } ?? downstream as Any,
        "demand": Subscribers.Demand(packed: demand.count),
      ])
  }
}
