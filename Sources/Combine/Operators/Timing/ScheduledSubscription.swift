import InterflowPrimitives

/// The base class of operators that deliver on a scheduler: buffers values until they have been requested, and delivers
/// them in scheduled closures. ``EachScheduledSubscription`` forwards demand instead.
///
/// A subclass that buffers is final and conforms to ``OperatorSubscriber``. In a scheduled closure it calls
/// ``bufferLatest(_:)`` and then ``deliverHere()``, and it calls ``finishScheduled(_:)`` when upstream has completed. It
/// overrides `cancelInputs()` to release what it holds itself; that is guarded by the core's lock.
@usableFromInline
class ScheduledSubscription<Context: Scheduler, Downstream: Subscriber>: SerialSubscription<Void, Downstream> {
  @usableFromInline final let link: UpstreamLink
  @usableFromInline final let scheduler: Context
  @usableFromInline final let options: Context.SchedulerOptions?

  // Guarded by the core's lock: whether a closure is scheduled that will deliver what is buffered and has been requested
  // since it was due.
  @usableFromInline @exclusivity(unchecked) final var hasScheduledDelivery = false

  /// - Parameter traits: A cancellation before the subscription is ignored without `servesEarlyCancellation`.
  @inlinable
  init(
    _ downstream: Downstream, _ name: OperatorName, _ scheduler: Context, _ options: Context.SchedulerOptions?,
    _ traits: LinkTraits = []
  ) {
    link = UpstreamLink(name, traits)
    self.scheduler = scheduler
    self.options = options
    super.init(downstream, name, .awaitingSubscription)
  }

  /// - Parameter act: As for ``SerialSubscription``.
  @inlinable
  init(
    _ downstream: Downstream, _ name: OperatorName, _ scheduler: Context, _ options: Context.SchedulerOptions?,
    act: @escaping (CoreSubscription, DeliveryAction) -> Void
  ) {
    link = UpstreamLink(name)
    self.scheduler = scheduler
    self.options = options
    super.init(downstream, name, .awaitingSubscription, act: act)
  }

  /// Delivers a value that has been requested after it was due. Called in a scheduled closure.
  @usableFromInline
  func deliverRequested() {
    deliverHere()
  }

  // MARK: What an operator calls

  /// Accepts upstream's subscription, and sends the subscriber its own.
  ///
  /// - Returns: Whether values may be requested from upstream: this is the first subscription, and the subscriber has
  ///   not cancelled.
  @usableFromInline
  final func begin(_ subscription: any Subscription) -> Bool {
    guard link.link(subscription) else { return false }
    sendSubscription()
    return link.isLinked
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    _ = begin(subscription)
  }

  @usableFromInline
  func receive(completion: Completion) {
    if link.finish() { finishScheduled(completion) }
  }

  /// Buffers a value for ``deliverHere()``. Without demand, it stays buffered until it is requested, and is then
  /// delivered in a scheduled closure. Calls nothing out.
  ///
  /// - Returns: The value that it replaces, because there was no demand when that was due.
  @inlinable
  final func bufferLatest(_ value: Output) -> Output? {
    core.lock.lock()
    defer { core.lock.unlock() }
    return bufferLatestWithLock(value)
  }

  /// The same, with the lock.
  @inlinable
  final func bufferLatestWithLock(_ value: Output) -> Output? {
    core.lock.assertHeld()
    // Also one that was requested after it was due, and whose delivery is scheduled.
    let isReplaceable =
      isAccepting && (hasScheduledDelivery || core.demand.unrequested(of: signals.elements.count) > 0)
    let replaced = isReplaceable ? signals.takeNewest()?.1 : nil
    append(value, ())
    // What a late closure was to deliver has been replaced, or delivered. The caller delivers this value.
    hasScheduledDelivery = false
    return replaced
  }

  /// Replaces a value that is buffered because it has not been requested.
  ///
  /// - Parameter isAllowed: Called with the lock: whether no older value is still to be buffered.
  /// - Returns: Whether there is one.
  @inlinable
  final func replaceUnrequested(_ value: Output, if isAllowed: @autoclosure () -> Bool) -> Bool {
    core.lock.lock()
    let replaced = isAccepting && core.demand.isNone && isAllowed() ? signals.takeNewest() : nil
    if replaced != nil { append(value, ()) }
    core.lock.unlock()
    releaseOutsideLock(replaced)
    return replaced != nil
  }

  /// Ends the stream in a scheduled closure. A regular completion follows a buffered value; a failure drops it, unless
  /// it has been requested by then.
  @usableFromInline
  final func finishScheduled(_ completion: Completion) {
    guard close(completion) else { return }
    core.lock.lock()
    // Otherwise the completion is delivered after the buffered value, when that is requested.
    let isDue = completion.isFailure || isDeliverable
    core.lock.unlock()
    if isDue { scheduler.scheduleKept(options: nil) { self.deliverCompletion(isFailure: completion.isFailure) } }
  }

  /// Delivers a completion, which the buffer holds already.
  @usableFromInline
  final func deliverCompletion(isFailure: Bool) {
    if isFailure { dropUnrequested() }
    deliverHere()
  }

  /// Delivers what has been requested, also during a call of the subscriber, as with a scheduler that runs closures
  /// immediately. If another thread delivers, leaves that to it.
  @inlinable
  final func deliverHere() {
    let me = currentThreadIdentity()
    guard let previous = core.turn.enterOrRequestWork(me) else { return }
    deliverBuffered()
    leaveTurn(me, previous)
  }

  // MARK: From the base class

  @usableFromInline
  override func serve() {
    core.lock.lock()
    let isDue = !hasScheduledDelivery && isDeliverable
    if isDue { hasScheduledDelivery = true }
    core.lock.unlock()
    if isDue {
      scheduler.scheduleKept(options: options) {
        self.core.lock.lock()
        self.hasScheduledDelivery = false
        self.core.lock.unlock()
        self.deliverRequested()
      }
    }
    forwardRequests(currentThreadIdentity())
  }

  @usableFromInline
  override func cancelInputs() {
    link.cancel()
  }

  @usableFromInline override var acceptsEmptyRequests: Bool { true }

  @usableFromInline final override var acceptsCancellation: Bool {
    !link.isWaiting || link.traits.contains(.servesEarlyCancellation)
  }

  @usableFromInline override var customMirror: Mirror {
    core.lock.lock()
    let downstream = self.downstream
    core.lock.unlock()
    return Mirror(
      self,
      children: ["downstream": downstream.map { $0 as Any } ?? downstream as Any, "status": link.status])
  }
}

extension Subscribers.Completion {
  /// Whether this is a failure.
  @inlinable
  var isFailure: Bool { if case .failure = self { true } else { false } }
}
