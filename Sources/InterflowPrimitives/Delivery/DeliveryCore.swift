import Synchronization

/// Delivers to one subscriber what several threads bring, as far as that needs neither the subscriber's type nor its
/// values': whose turn it is, what has been requested, what of that is to be requested from upstream, and the end.
///
/// Requests and cancellations never wait. A request that is made during a call of the subscriber adds to the demand,
/// and the thread that makes the call serves it afterwards.
///
/// The variables are atomics only so that they can be changed through a constant, and so also while a function of the
/// core calls its owner. They are read and written without memory ordering, since `lock` or the turn guards each.
@frozen
@usableFromInline
package struct DeliveryCore: ~Copyable {
  @usableFromInline package let turn = Turn()
  @usableFromInline package let lock = Lock()

  // Guarded by `lock`: these five.
  @usableFromInline let demandWord: Atomic<UInt>
  /// Demand that has been requested and that ``DeliveryOwner/forward(_:)`` has not been called with.
  @usableFromInline let unforwarded = Atomic<UInt>(0)
  /// The thread that calls ``DeliveryOwner/forward(_:)``; zero if none does.
  @usableFromInline let forwardingThread = Atomic<UInt>(0)
  /// Whether ``DeliveryOwner/forward(_:)`` is to be called even without new demand.
  @usableFromInline let forwardsWithoutDemand = Atomic(false)
  @usableFromInline let subscriptionIsSent: Atomic<Bool>

  // Guarded by the turn.
  @usableFromInline let isInCall = Atomic(false)

  /// - Parameter phase: `awaitingSubscription` if signals may arrive before ``sendSubscription(_:)``; they are buffered
  ///   until then.
  @inlinable
  package init(_ phase: DeliveryDemand.Phase) {
    let demand = DeliveryDemand(phase)
    demandWord = Atomic(demand.word)
    subscriptionIsSent = Atomic(demand.isOpen)
  }

  // MARK: State

  /// With the lock: the demand, and whether anything may be delivered.
  @inlinable package var demand: DeliveryDemand {
    get { DeliveryDemand(word: demandWord.load(ordering: .relaxed)) }
    nonmutating set { demandWord.store(newValue.word, ordering: .relaxed) }
  }

  /// With the lock: whether `receive(subscription:)` of the subscriber has returned.
  @inlinable package var hasSentSubscription: Bool { subscriptionIsSent.load(ordering: .relaxed) }

  /// With the turn: whether the subscriber's `receive` is being called.
  @inlinable package var isCallingSubscriber: Bool {
    get { isInCall.load(ordering: .relaxed) }
    nonmutating set { isInCall.store(newValue, ordering: .relaxed) }
  }

  /// With the lock: takes one from the demand for an element that the caller delivers without buffering it.
  ///
  /// - Returns: Whether it may do so as far as the demand decides that.
  @inlinable
  package borrowing func takeDemand() -> Bool {
    var demand = self.demand
    if demand.allowsAllElements { return true }
    guard demand.allowsElement else { return false }
    demand.spend()
    self.demand = demand
    return true
  }

  /// Adds demand that the subscriber has returned. The caller forwards it.
  @inlinable
  package borrowing func returned(_ more: UInt) {
    lock.lock()
    returnedWithLock(more)
    lock.unlock()
  }

  /// With the lock: adds demand that the subscriber has returned.
  @inlinable
  package borrowing func returnedWithLock(_ more: UInt) {
    demand.add(more)
  }

  // MARK: The subscriber's calls

  /// Adds to the demand, serves it, and has it forwarded.
  @inlinable
  package borrowing func request(_ more: UInt, _ owner: some DeliveryOwner) {
    lock.lock()
    guard !demand.isOver else { return lock.unlock() }
    demand.add(more)
    addUnforwardedWithLock(more)
    lock.unlock()
    owner.serve()
  }

  /// Ends the delivery, and has the owner release everything.
  @inlinable
  package borrowing func cancel(_ owner: some DeliveryOwner) {
    lock.lock()
    guard !demand.isOver else { return lock.unlock() }
    demand.phase = .over
    unforwarded.store(0, ordering: .relaxed)
    lock.unlock()
    owner.perform(.releaseSubscriber)
    let me = currentThreadIdentity()
    guard let previous = turn.enterOrRequestWork(me) else { return }
    owner.perform(.releaseValues)
    if previous == 0 { leaveTurn(me, 0, owner) }
  }

  // MARK: The subscription

  /// Sends the subscriber its subscription, and then delivers the signals that have arrived.
  @inlinable
  package borrowing func sendSubscription(_ owner: some DeliveryOwner) {
    let me = currentThreadIdentity()
    let previous = turn.enter(me)
    lock.lock()
    let isOver = demand.isOver
    if !isOver { demand.phase = .open }
    lock.unlock()
    if !isOver { owner.perform(.sendSubscription) }
    // Signals that have arrived during the call are delivered by `serve()`, since an owner may deliver elsewhere than
    // on this thread.
    lock.lock()
    subscriptionIsSent.store(true, ordering: .relaxed)
    lock.unlock()
    owner.perform(.subscriptionIsSent)
    while !turn.leave(me, previous) { turn.clearWork() }
    owner.serve()
  }

  // MARK: Delivery

  /// Delivers the buffered signals that have been requested, on this thread or on the thread that has the turn.
  @inlinable
  package borrowing func serveHere(_ owner: some DeliveryOwner) {
    let me = currentThreadIdentity()
    guard let previous = turn.enterOrRequestWork(me) else { return }
    if previous != 0, isCallingSubscriber { return owner.requestedDuringDelivery(me) }
    owner.perform(.deliverBuffered)
    if previous == 0, !turn.leave(me, 0) {
      performWorkAndLeave(me, owner)
    } else {
      forwardRequests(me, owner)
    }
  }

  /// Leaves the turn, after the work that others have left.
  @inlinable
  package borrowing func leaveTurn(_ me: UInt, _ previous: UInt, _ owner: some DeliveryOwner) {
    if !turn.leave(me, previous) {
      performWorkAndLeave(me, owner)
    } else if previous != 0, previous != me {
      // The owner of a borrowed turn sleeps, and requests must not wait for it.
      forwardRequests(me, owner)
    }
  }

  /// Does the work that others have left and leaves the turn. For the outermost call that has the turn.
  @inlinable
  package borrowing func performWorkAndLeave(_ me: UInt, _ owner: some DeliveryOwner) {
    repeat {
      turn.clearWork()
      owner.perform(.deliverBuffered)
    } while !turn.leave(me, 0)
    forwardRequests(me, owner)
  }

  // MARK: Demand to forward

  /// With the lock: has ``DeliveryOwner/forward(_:)`` called with more demand, when the turn is left.
  @inlinable
  package borrowing func addUnforwardedWithLock(_ more: UInt) {
    unforwarded.store(PackedDemand.sum(unforwarded.load(ordering: .relaxed), more), ordering: .relaxed)
  }

  /// With the lock: has ``DeliveryOwner/forward(_:)`` called, even if there is no new demand.
  @inlinable
  package borrowing func requestForwarding() {
    forwardsWithoutDemand.store(true, ordering: .relaxed)
  }

  /// Takes the demand that ``DeliveryOwner/forward(_:)`` has not been called with yet. The caller forwards it.
  ///
  /// - Returns: No demand if this is called from inside ``DeliveryOwner/forward(_:)``.
  @inlinable
  package borrowing func takeUnforwarded(_ me: UInt) -> UInt {
    lock.lock()
    let more = forwardingThread.load(ordering: .relaxed) == me ? 0 : unforwarded.load(ordering: .relaxed)
    if more != 0 { unforwarded.store(0, ordering: .relaxed) }
    lock.unlock()
    return more
  }

  /// Calls ``DeliveryOwner/forward(_:)`` until no demand is left to forward. Does nothing from inside it.
  @inlinable
  package borrowing func forwardRequests(_ me: UInt, _ owner: some DeliveryOwner) {
    lock.lock()
    let other = forwardingThread.load(ordering: .relaxed)
    guard other != me else { return lock.unlock() }
    if other == 0 { forwardingThread.store(me, ordering: .relaxed) }
    while true {
      let more = unforwarded.load(ordering: .relaxed)
      if more == 0, !forwardsWithoutDemand.load(ordering: .relaxed) { break }
      unforwarded.store(0, ordering: .relaxed)
      forwardsWithoutDemand.store(false, ordering: .relaxed)
      lock.unlock()
      owner.forward(more)
      lock.lock()
    }
    if other == 0 { forwardingThread.store(0, ordering: .relaxed) }
    lock.unlock()
  }
}

/// What a ``DeliveryCore`` has its owner do. No lock is held.
@usableFromInline
package protocol DeliveryOwner: AnyObject {
  /// Does what needs the subscriber's type. With the turn, except `releaseSubscriber`.
  func perform(_ action: DeliveryAction)

  /// The subscriber has requested more: request values from upstream. Values that arrive during this call are delivered
  /// immediately; demand that they return is forwarded after this call has returned, so that requests do not recurse.
  func forward(_ more: UInt)

  /// A signal may be deliverable, or demand is to be forwarded: calls ``DeliveryCore/serveHere(_:)``, now or later.
  func serve()

  /// The subscriber has requested more during its `receive`: serve that when `receive` has returned. With the turn.
  func requestedDuringDelivery(_ me: UInt)
}

/// What only code can do that knows the subscriber's type.
@frozen
@usableFromInline
package enum DeliveryAction {
  /// Send the subscriber its subscription.
  case sendSubscription
  /// The subscription has been sent: drop values that have not been requested, if a completion has said so.
  case subscriptionIsSent
  /// Deliver the buffered signals that have been requested; after the end, release the values that the turn guards.
  case deliverBuffered
  /// The subscriber has cancelled: release it and what is buffered, and cancel upstream. Without the turn.
  case releaseSubscriber
  /// Nothing more will be delivered: release the values that are guarded by the turn.
  case releaseValues
}
