import InterflowPrimitives

/// The part of a ``SerialSubscription`` that is not generic. A subscriber calls its subscription through a protocol, and
/// generic code that is called so is not specialised, which makes a request twice as expensive.
@usableFromInline
class CoreSubscription: EngineSubscription, DeliveryOwner {
  @usableFromInline final let core: DeliveryCore
  @usableFromInline final let name: OperatorName

  // Formed where the subscriber's type is known, so that what is done in it is specialised.
  @usableFromInline final let act: (CoreSubscription, DeliveryAction) -> Void

  @inlinable
  init(
    _ name: OperatorName, _ phase: DeliveryDemand.Phase, _ act: @escaping (CoreSubscription, DeliveryAction) -> Void
  ) {
    core = DeliveryCore(phase)
    self.name = name
    self.act = act
  }

  // MARK: What a subclass overrides. No lock is held.

  /// The subscriber has requested more: request values from upstream. Values that arrive during this call are delivered
  /// immediately; demand that they return is forwarded after this call has returned, so that requests do not recurse.
  ///
  /// - Parameter more: The new demand; `none` if this is called only because of `core.requestForwarding()`.
  @usableFromInline
  func forward(_ more: Subscribers.Demand) {}

  /// Nothing more will be delivered: cancel the upstream subscriptions.
  @usableFromInline
  func cancelInputs() {}

  /// A signal may be deliverable: deliver it, by default immediately on this thread.
  @usableFromInline
  func serve() {
    serveHere()
  }

  /// The subscriber has requested more during its `receive`: serve that when `receive` has returned. With the turn.
  @usableFromInline
  func requestedDuringDelivery(_ me: UInt) {
    core.turn.markWork()
  }

  /// Whether a request for no values is ignored. It traps otherwise.
  @usableFromInline
  var acceptsEmptyRequests: Bool { false }

  /// Whether a cancellation is served now. It is ignored otherwise.
  @usableFromInline
  var acceptsCancellation: Bool { true }

  // MARK: Subscription

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    if demand == .none, acceptsEmptyRequests { return }
    demand.requireSome()
    core.request(demand.rawValue, self)
  }

  @usableFromInline
  final override func cancel() {
    if acceptsCancellation { core.cancel(self) }
  }

  /// Sends the subscriber its subscription, and then delivers the signals that have arrived.
  @usableFromInline
  final func sendSubscription() {
    core.sendSubscription(self)
  }

  @usableFromInline final override var description: String { name.description }

  // MARK: Delivery

  /// Delivers the buffered signals that have been requested, on this thread or on the thread that has the turn.
  @usableFromInline
  final func serveHere() {
    core.serveHere(self)
  }

  /// Leaves the turn, after the work that others have left.
  @inlinable
  final func leaveTurn(_ me: UInt, _ previous: UInt) {
    if previous != 0 || !core.turn.leave(me, 0) { leaveTurnSlowly(me, previous) }
  }

  @usableFromInline
  @inline(never)
  final func leaveTurnSlowly(_ me: UInt, _ previous: UInt) {
    core.leaveTurn(me, previous, self)
  }

  /// Records demand for ``forward(_:)-(Subscribers.Demand)``, which is called when the thread leaves the turn. With the
  /// turn.
  @usableFromInline
  final func addUnforwarded(_ more: Subscribers.Demand) {
    core.lock.lock()
    core.addUnforwardedWithLock(more.rawValue)
    core.lock.unlock()
    core.turn.markWork()
  }

  /// Takes the demand that ``forward(_:)-(Subscribers.Demand)`` has not been called with yet. The caller forwards it.
  ///
  /// - Returns: No demand if this is called from inside ``forward(_:)-(Subscribers.Demand)``.
  @usableFromInline
  final func takeUnforwarded(_ me: UInt) -> Subscribers.Demand {
    Subscribers.Demand(packed: core.takeUnforwarded(me))
  }

  @usableFromInline
  final func forwardRequests(_ me: UInt) {
    core.forwardRequests(me, self)
  }

  // MARK: What the core calls

  @usableFromInline
  final func perform(_ action: DeliveryAction) {
    act(self, action)
  }

  @usableFromInline
  final func forward(_ more: UInt) {
    forward(Subscribers.Demand(packed: more))
  }
}
