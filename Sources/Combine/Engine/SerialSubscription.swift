import InterflowPrimitives

/// The base class of operators that receive signals from several threads, or that buffer values. It delivers signals
/// one at a time, and never more values than requested.
///
/// A subclass decides how a value is delivered. An operator that joins publishers enters the turn, for which it may
/// have to wait, and calls ``deliverAtOnce(_:)``, also during another delivery on the same thread. An operator that
/// decouples its upstream never waits: ``enqueue(_:_:_:)`` buffers the value if another thread delivers, and returns.
/// The thread that has the turn delivers buffered values.
///
/// Requests and cancellations never wait. A request that is made during a call of the subscriber adds to the demand,
/// and the thread that makes the call serves it afterwards.
@usableFromInline
class SerialSubscription<Tag, Downstream: Subscriber>: EngineSubscription {
  @usableFromInline typealias Output = Downstream.Input
  @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

  @usableFromInline final let turn = Turn()

  // Guarded by `lock`: `downstream`, `state`, `unforwarded`, `needsForwarding`, `forwardingThread`,
  // `hasSentSubscription`, `dropsUnrequestedAfterSubscription`.
  // Guarded by the turn: `isCallingSubscriber`, whether the subscriber's `receive` is being called.
  @usableFromInline final let lock = Lock()
  @usableFromInline @exclusivity(unchecked) final var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) final var state: DeliveryState<(Tag, Output), Completion>
  /// Demand that has been requested and that ``forward(_:)`` has not been called with.
  @usableFromInline @exclusivity(unchecked) final var unforwarded = Subscribers.Demand.none
  /// Whether ``forward(_:)`` is to be called even without new demand.
  @usableFromInline @exclusivity(unchecked) final var needsForwarding = false
  /// The thread that calls ``forward(_:)``; zero if none does.
  @usableFromInline @exclusivity(unchecked) final var forwardingThread: UInt = 0
  @usableFromInline @exclusivity(unchecked) final var isCallingSubscriber = false
  /// Whether `receive(subscription:)` of the subscriber has returned.
  @usableFromInline @exclusivity(unchecked) final var hasSentSubscription: Bool
  @usableFromInline @exclusivity(unchecked) final var dropsUnrequestedAfterSubscription = false

  // Formed where the subscriber's type is known, so that a request, whose code is not specialised, delivers through
  // specialised code.
  @usableFromInline final let drain: (SerialSubscription) -> Void

  @usableFromInline final let name: OperatorName

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }
  // For a subclass that conforms to `Subscriber` only, which would have depth zero otherwise.
  @inlinable static var _specializationDepth: Int { specializationDepth }

  /// - Parameter phase: `awaitingSubscription` if values may arrive before ``sendSubscription()``; they are buffered
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

  /// The subscriber has requested more: request values from upstream. Values that arrive during this call are delivered
  /// immediately; demand that they return is forwarded after this call has returned, so that requests do not recurse.
  ///
  /// - Parameter more: The new demand; `none` if this is called only because `needsForwarding` has been set.
  @usableFromInline
  func forward(_ more: Subscribers.Demand) {}

  /// Nothing more will be delivered: cancel the upstream subscriptions.
  @usableFromInline
  func cancelInputs() {}

  /// Nothing more will be delivered: release the values that are guarded by the turn. With the turn.
  @usableFromInline
  func releaseValues() {}

  /// The buffer has no room for a value.
  @usableFromInline
  func overflow(_ value: Output) {}

  /// A signal may be deliverable: deliver it, by default immediately on this thread.
  @usableFromInline
  func serve() {
    serveHere()
  }

  /// Whether a request for no values is ignored. It traps otherwise.
  @usableFromInline
  var acceptsEmptyRequests: Bool { false }

  // MARK: Values

  /// Delivers a value, if it has been requested and no other is buffered before it. With the turn.
  ///
  /// - Returns: The demand that the subscriber returns, which the caller must forward; `nil` if the value was not
  ///   delivered.
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

  /// Buffers a value, and delivers the buffered values that have been requested. With the turn.
  @usableFromInline
  final func buffer(_ value: Output, _ tag: Tag) {
    lock.lock()
    state.append((tag, value))
    let isDeliverable = state.isDeliverable
    lock.unlock()
    if isDeliverable { deliverBuffered() }
  }

  /// Buffers a value, which is delivered when the thread leaves the turn. With the turn.
  @usableFromInline
  final func bufferUntilTurnEnds(_ value: Output, _ tag: Tag) {
    lock.lock()
    state.append((tag, value))
    lock.unlock()
    turn.markWork()
  }

  /// Delivers the buffered signals that have been requested, also during a call of the subscriber. With the turn.
  @usableFromInline
  final func deliverBuffered() {
    let isNested = isCallingSubscriber
    isCallingSubscriber = false
    drain(self)
    isCallingSubscriber = isNested
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
    lock.lock()
    if state.hasDemand, turn.tryEnter(me) {
      if state.takeDemandForImmediateDelivery(), let downstream {
        lock.unlock()
        _ = deliver(value, to: downstream)
        leaveTurn(me, 0)
        return true
      }
      lock.unlock()
      // Values buffered before this one are delivered first, which may make room.
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

  /// Ends the stream after the buffered values have been delivered. Never waits.
  @usableFromInline
  final func finishAfterBuffered(_ completion: Completion, dropsUnrequested: Bool = false, needsDemand: Bool = false) {
    close(completion, dropsUnrequested: dropsUnrequested, needsDemand: needsDemand)
    serve()
  }

  // MARK: The end

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
    let previous = turn.enter(me)
    close(completion, dropsUnrequested: dropsUnrequested)
    // The owner of a borrowed turn sleeps, so the completion cannot be left to it.
    if nests || previous != 0 && previous != me { deliverBuffered() } else { turn.markWork() }
    leaveTurn(me, previous)
  }

  /// Cancels the inputs and ends the stream with a failure, after the values that have been requested. Drops the
  /// others.
  @usableFromInline
  final func fail(_ completion: Completion) {
    let me = currentThreadIdentity()
    let previous = turn.enter(me)
    close(completion, dropsUnrequested: true)
    cancelInputs()
    deliverBuffered()
    leaveTurn(me, previous)
  }

  /// Stores the completion, so that later values are ignored, but delivers nothing.
  @usableFromInline
  final func close(_ completion: Completion, dropsUnrequested: Bool = false, needsDemand: Bool = false) {
    lock.lock()
    let isFirst = state.ended(with: completion, needsDemand: needsDemand)
    // Before it has received its subscription, the subscriber cannot have requested anything.
    if isFirst, dropsUnrequested, !hasSentSubscription { dropsUnrequestedAfterSubscription = true }
    let drops = isFirst && dropsUnrequested && hasSentSubscription
    let dropped = drops ? state.takeNewest(state.unrequestedCount) : []
    lock.unlock()
    releaseOutsideLock(dropped)
  }

  /// The subscriber has requested more during its `receive`: serve that when `receive` has returned. With the turn.
  @usableFromInline
  func requestedDuringDelivery(_ me: UInt) {
    turn.markWork()
  }

  // MARK: Delivery

  /// Leaves the turn, after the work that others have left.
  @inlinable
  final func leaveTurn(_ me: UInt, _ previous: UInt) {
    if !turn.leave(me, previous) {
      performWorkAndLeave(me)
    } else if previous != 0, previous != me {
      // The owner of a borrowed turn sleeps, and requests must not wait for it.
      forwardRequests(me)
    }
  }

  /// Does the work that others have left and leaves the turn. For the outermost call that has the turn.
  @usableFromInline
  @inline(never)
  final func performWorkAndLeave(_ me: UInt) {
    repeat {
      turn.clearWork()
      drain(self)
    } while !turn.leave(me, 0)
    forwardRequests(me)
  }

  /// Delivers the buffered signals that have been requested, on this thread or on the thread that has the turn.
  @usableFromInline
  final func serveHere() {
    let me = currentThreadIdentity()
    guard let previous = turn.enterOrRequestWork(me) else { return }
    if previous != 0, isCallingSubscriber { return requestedDuringDelivery(me) }
    drain(self)
    if previous == 0, !turn.leave(me, 0) { performWorkAndLeave(me) } else { forwardRequests(me) }
  }

  /// Delivers the next buffered signal, if it has been requested. With the turn.
  ///
  /// - Returns: Whether it was a value, so that another signal may be deliverable.
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

  /// Whether a cancellation is served now. It is ignored otherwise.
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
