import InterflowPrimitives

/// Base class of the subscriptions of operators that several threads send to, or that buffer: signals are delivered one
/// at a time, and values never more than requested.
///
/// A subclass says how its values come in. An operator that joins publishers enters the turn, for which it may have to
/// wait, and delivers at once, from inside another delivery too: ``deliverAtOnce(_:)``. One that decouples never waits:
/// ``enqueue(_:_:)`` buffers where another thread delivers, and returns. What is buffered is delivered by whoever has
/// the turn.
///
/// Requests and cancellations never wait. A request that is made while the subscriber is being called adds to the
/// demand, and whoever calls the subscriber serves it after that.
@usableFromInline
class SerialSubscription<Tag, Downstream: Subscriber>: EngineSubscription {
  @usableFromInline typealias Output = Downstream.Input
  @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

  @usableFromInline final let turn = Turn()

  // Guarded by `lock`: `downstream`, `state`, `unforwarded`, `needsForwarding`, `forwardingThread`,
  // `hasSentSubscription`, `dropsUnrequestedAfterSubscription`. Guarded by the turn: `isCallingSubscriber`, whether the
  // subscriber's `receive` is being called.
  @usableFromInline final let lock = Lock()
  @usableFromInline @exclusivity(unchecked) final var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) final var state: DeliveryState<(Tag, Output), Completion>
  /// What has been requested and ``forward(_:)`` has not been called with.
  @usableFromInline @exclusivity(unchecked) final var unforwarded = Subscribers.Demand.none
  /// Whether ``forward(_:)`` has something else to look after.
  @usableFromInline @exclusivity(unchecked) final var needsForwarding = false
  /// The thread that calls ``forward(_:)``; zero while none does.
  @usableFromInline @exclusivity(unchecked) final var forwardingThread: UInt = 0
  @usableFromInline @exclusivity(unchecked) final var isCallingSubscriber = false
  /// Whether the subscriber has taken its subscription.
  @usableFromInline @exclusivity(unchecked) final var hasSentSubscription: Bool
  @usableFromInline @exclusivity(unchecked) final var dropsUnrequestedAfterSubscription = false

  // Formed where the subscriber's type is known, so that a request, which is not, delivers through specialised code.
  @usableFromInline final let drain: (SerialSubscription) -> Void

  @usableFromInline final let name: OperatorName

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }

  /// - Parameter phase: `awaitingSubscription` where values may come before ``sendSubscription()``, and are buffered
  ///   until then.
  @inlinable
  init(
    _ downstream: Downstream, _ name: OperatorName, _ phase: DeliveryState<(Tag, Output), Completion>.Phase = .open
  ) {
    self.downstream = downstream
    self.name = name
    state = DeliveryState(phase)
    hasSentSubscription = phase == .open
    drain = { while $0.deliverNext() {} }
  }

  // MARK: What a subclass overrides. No lock is held.

  /// A buffered value has been delivered. With the turn.
  @usableFromInline
  func didDeliver(_ tag: Tag) {}

  /// More has been requested. Values that come in from inside this are delivered at once; what is requested with them
  /// is forwarded after this has returned, so that requests do not recurse.
  ///
  /// - Parameter more: How much; `none` where `needsForwarding` has been set.
  @usableFromInline
  func forward(_ more: Subscribers.Demand) {}

  /// Nothing more will be delivered: cancel what is upstream.
  @usableFromInline
  func cancelInputs() {}

  /// Nothing more will be delivered: release the values that are guarded by the turn. With the turn.
  @usableFromInline
  func releaseValues() {}

  /// A value has found the buffer full.
  @usableFromInline
  func overflow(_ value: Output) {}

  /// There is something to deliver, perhaps: deliver it here and now, unless a subclass knows a better place.
  @usableFromInline
  func serve() {
    serveHere()
  }

  /// Whether a request for no values does nothing, rather than trap.
  @usableFromInline
  var acceptsEmptyRequests: Bool { false }

  // MARK: Values

  /// Delivers a value that has been requested and has nothing before it. With the turn.
  ///
  /// - Returns: What the subscriber requests with it, and ``forward(_:)`` is not called with; `nil` where the value was
  ///   not delivered.
  @inlinable
  @inline(__always)
  final func deliverAtOnce(_ value: Output) -> Subscribers.Demand? {
    lock.lock()
    guard state.takeDemandForImmediateDelivery(), let downstream else {
      lock.unlock()
      return nil
    }
    lock.unlock()
    return deliver(value, to: downstream)
  }

  @inlinable
  @inline(__always)
  final func deliver(_ value: Output, to downstream: Downstream) -> Subscribers.Demand {
    let isNested = isCallingSubscriber
    isCallingSubscriber = true
    let more = downstream.receive(value)
    isCallingSubscriber = isNested
    if more != .none {
      lock.lock()
      state.requested(more.rawValue)
      lock.unlock()
    }
    return more
  }

  /// Buffers a value, and delivers what has been requested up to it. With the turn.
  @usableFromInline
  final func buffer(_ value: Output, _ tag: Tag) {
    lock.lock()
    state.append((tag, value))
    let isDeliverable = state.isDeliverable
    lock.unlock()
    if isDeliverable { deliverBuffered() }
  }

  /// Buffers a value until the turn is given up. With the turn.
  @usableFromInline
  final func bufferUntilTurnEnds(_ value: Output, _ tag: Tag) {
    lock.lock()
    state.append((tag, value))
    lock.unlock()
    turn.markWork()
  }

  /// Delivers what has been requested, from inside the subscriber too. With the turn.
  @usableFromInline
  final func deliverBuffered() {
    let isNested = isCallingSubscriber
    isCallingSubscriber = false
    drain(self)
    isCallingSubscriber = isNested
  }

  /// Delivers a value if it has been requested and nobody else delivers, or buffers it; never waits.
  ///
  /// - Parameter capacity: How many values the buffer has room for; for another, ``overflow(_:)`` is called.
  /// - Returns: Whether the value was delivered at once.
  @inlinable
  @discardableResult
  final func enqueue(_ value: Output, _ tag: Tag, _ capacity: Int = .max) -> Bool {
    let me = currentThreadIdentity()
    lock.lock()
    if state.hasDemand, turn.tryEnter(me) {
      if state.takeDemandForImmediateDelivery(), let downstream {
        lock.unlock()
        _ = deliver(value, to: downstream)
        leaveTurn(me, 0)
        return true
      }
      lock.unlock()
      // What has been requested goes first, and may make room.
      deliverBuffered()
      leaveTurn(me, 0)
      lock.lock()
    }
    let hasRoom = state.buffer.count < capacity
    if hasRoom { state.append((tag, value)) }
    lock.unlock()
    if !hasRoom { overflow(value) }
    lock.lock()
    let isDeliverable = state.isDeliverable
    lock.unlock()
    if isDeliverable { serve() }
    return false
  }

  /// Ends the stream after the values that are buffered; never waits.
  @usableFromInline
  final func finishAfterBuffered(_ completion: Completion, dropsUnrequested: Bool = false, needsDemand: Bool = false) {
    close(completion, dropsUnrequested: dropsUnrequested, needsDemand: needsDemand)
    serve()
  }

  // MARK: The end

  /// Ends the stream after the values that are buffered: at once where there are none, from inside the subscriber too.
  ///
  /// - Parameters:
  ///   - dropsUnrequested: Whether values that nobody has requested are dropped, so that the completion need not wait.
  ///   - nests: Whether the completion may be delivered from inside the subscriber, rather than after that.
  @usableFromInline
  final func finish(_ completion: Completion, dropsUnrequested: Bool = false, nests: Bool = true) {
    let me = currentThreadIdentity()
    let previous = turn.enter(me)
    close(completion, dropsUnrequested: dropsUnrequested)
    // The owner of a turn that is borrowed sleeps.
    if nests || previous != 0 && previous != me { deliverBuffered() } else { turn.markWork() }
    leaveTurn(me, previous)
  }

  /// Cancels the inputs and ends the stream with a failure, after the values that have been requested.
  @usableFromInline
  final func fail(_ completion: Completion) {
    let me = currentThreadIdentity()
    let previous = turn.enter(me)
    close(completion, dropsUnrequested: true)
    cancelInputs()
    deliverBuffered()
    leaveTurn(me, previous)
  }

  /// Takes nothing more in, without delivering what is buffered.
  @usableFromInline
  final func close(_ completion: Completion, dropsUnrequested: Bool = false, needsDemand: Bool = false) {
    lock.lock()
    let isFirst = state.ended(with: completion, needsDemand: needsDemand)
    // Before it has its subscription, the subscriber has had no chance to request anything.
    if isFirst, dropsUnrequested, !hasSentSubscription { dropsUnrequestedAfterSubscription = true }
    let drops = isFirst && dropsUnrequested && hasSentSubscription
    let dropped = drops ? state.takeNewest(state.unrequestedCount) : []
    lock.unlock()
    releaseOutsideLock(dropped)
  }

  /// The subscriber has requested more from inside its `receive`: that is served when it has returned.
  ///
  /// With the turn.
  @usableFromInline
  func requestedDuringDelivery(_ me: UInt) {
    turn.markWork()
  }

  // MARK: Delivery

  /// Leaves the turn, after what others have left to do.
  @inlinable
  final func leaveTurn(_ me: UInt, _ previous: UInt) {
    if !turn.leave(me, previous) {
      performWorkAndLeave(me)
    } else if previous != 0, previous != me {
      // The owner of a turn that was borrowed sleeps, and what has been requested does not wait for it.
      forwardRequests(me)
    }
  }

  /// Does what others have left, as the outermost call that has the turn, and gives the turn up.
  @usableFromInline
  @inline(never)
  final func performWorkAndLeave(_ me: UInt) {
    repeat {
      turn.clearWork()
      drain(self)
    } while !turn.leave(me, 0)
    forwardRequests(me)
  }

  /// Delivers what is buffered and requested, here or on the thread that delivers.
  @usableFromInline
  final func serveHere() {
    let me = currentThreadIdentity()
    guard let previous = turn.enterOrRequestWork(me) else { return }
    if previous != 0, isCallingSubscriber { return requestedDuringDelivery(me) }
    drain(self)
    if previous == 0, !turn.leave(me, 0) { performWorkAndLeave(me) } else { forwardRequests(me) }
  }

  /// Delivers the next signal that may be delivered. With the turn.
  ///
  /// - Returns: Whether it was a value.
  @inlinable
  final func deliverNext() -> Bool {
    lock.lock()
    guard let downstream else {
      lock.unlock()
      releaseValues()
      return false
    }
    if let (tag, value) = state.takeNext() {
      lock.unlock()
      let more = deliver(value, to: downstream)
      if more != .none { addUnforwarded(more) }
      didDeliver(tag)
      return true
    }
    let terminal = state.takeTerminal()
    if terminal != nil { self.downstream = nil }
    lock.unlock()
    if let terminal {
      cancelInputs()
      releaseValues()
      downstream.receive(completion: terminal)
    }
    return false
  }

  // MARK: Demand

  @usableFromInline
  final override func request(_ demand: Subscribers.Demand) {
    if acceptsEmptyRequests, demand == .none { return }
    demand.requireSome()
    lock.lock()
    guard downstream != nil else {
      lock.unlock()
      return
    }
    state.requested(demand.rawValue)
    unforwarded += demand
    lock.unlock()
    serve()
  }

  // MARK: Subscription

  /// Whether a cancellation counts; otherwise it is forgotten.
  @usableFromInline
  var acceptsCancellation: Bool { true }

  @usableFromInline
  final override func cancel() {
    guard acceptsCancellation else { return }
    lock.lock()
    let downstream = self.downstream
    self.downstream = nil
    let dropped = state.cancelled()
    lock.unlock()
    guard downstream != nil else { return }
    withExtendedLifetime((dropped, downstream)) { cancelInputs() }
    let me = currentThreadIdentity()
    guard let previous = turn.enterOrRequestWork(me) else { return }
    releaseValues()
    if previous == 0 { leaveTurn(me, 0) }
  }

  @usableFromInline final override var description: String { name.description }

  @usableFromInline override var customMirror: Mirror {
    lock.lock()
    let (downstream, demand) = (self.downstream, state.demand)
    lock.unlock()
    return Mirror(
      self,
      children: [
        "downstream": downstream.map { $0 as Any } ?? downstream as Any,
        "demand": Subscribers.Demand(packed: demand),
      ])
  }
}
