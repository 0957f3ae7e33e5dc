import Combine
import InterflowPrimitives

/// Delivers to one subscriber what an operator makes of the values of several publishers, or of those that are sent to
/// it. What an operator does with a value it says in closures, which are called with the turn, one at a time; what they
/// change is in `values`.
///
/// An operator makes one with its values, joins each publisher with ``join(_:_:accept:onFinish:)``, and then calls
/// ``DeliverySubscription/sendSubscription()``. In its closures it calls ``send(_:)``, ``sendLatest(_:)`` and
/// ``finish(_:unrequested:)``. `WithLatestFrom` and `Sample` are examples.
@usableFromInline
final class Delivery<Values: DeliveryValues, Downstream: Subscriber>: DeliverySubscription {
  @usableFromInline typealias Output = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

  private let name: String

  // Guarded by the core's lock: these six. `downstream` is `nil` after the end.
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var signals = DeliveryBuffer<Output, Completion>()
  @exclusivity(unchecked) private var inputs: ContiguousArray<(link: InputLink, demand: InputDemand)> = []
  @exclusivity(unchecked) private var cancellable: (any Cancellable)?
  @exclusivity(unchecked) private var hasStarted = false
  /// What the end does with values that have not been requested.
  @exclusivity(unchecked) private var unrequested = UnrequestedValuePolicy.kept

  // Guarded by the turn: these three.

  /// The operator's values. They are replaced by new ones at the end.
  @usableFromInline @exclusivity(unchecked) var values: Values
  /// Called with the turn, each time that the values are released: by a thread that has the turn at the end, or has
  /// been asked for work after it. For an operator that stores more elsewhere.
  @usableFromInline @exclusivity(unchecked) var onRelease: (() -> Void)?
  /// Called in place of ``deliverNext()``, which it gets and calls once, and whose result it returns: for an operator that
  /// acts when a buffered value has been delivered.
  @exclusivity(unchecked) var aroundBuffered: ((Delivery, () -> Bool) -> Bool)?

  /// - Parameter name: The operator's name, for the description.
  @inlinable
  convenience init(_ downstream: Downstream, _ name: String, _ values: Values) {
    self.init(downstream, name, values) { unsafeDowncast($0, to: Delivery.self).performTyped($1) }
  }

  @usableFromInline
  init(
    _ downstream: Downstream, _ name: String, _ values: Values,
    act: @escaping (DeliverySubscription, DeliveryAction) -> Void
  ) {
    self.downstream = downstream
    self.name = name
    self.values = values
    super.init(.awaitingSubscription, act)
  }

  @usableFromInline override var description: String { "\(name).Subscription<\(Output.self), \(Failure.self)>" }

  // MARK: What an operator calls, with the turn

  /// Delivers a value immediately if demand allows it, and buffers it otherwise.
  @inlinable
  func send(_ value: Output) {
    core.lock.lock()
    guard signals.isEmpty, core.takeDemand(), let downstream else { return bufferUnlocking(value) }
    core.lock.unlock()
    let more = deliver(value, to: downstream)
    if more != .none { addUnforwarded(more) }
  }

  /// Delivers a value immediately if demand allows it. Otherwise buffers it in place of an older one that has not been
  /// requested.
  @inlinable
  func sendLatest(_ value: Output) {
    // The release of the older one may send a value, which follows this one.
    withExtendedLifetime(takeUnrequestedValue()) { send(value) }
  }

  /// Whether a value that is sent now is delivered immediately.
  @usableFromInline var takesValue: Bool {
    core.lock.lock()
    defer { core.lock.unlock() }
    return signals.isEmpty && core.demand.allowsElement
  }

  /// Whether values still count.
  @usableFromInline var isAccepting: Bool {
    core.lock.lock()
    defer { core.lock.unlock() }
    return signals.isAccepting(core.demand)
  }

  /// How many of the buffered values have not been requested.
  @usableFromInline var unrequestedCount: Int {
    core.lock.lock()
    defer { core.lock.unlock() }
    return core.demand.unrequested(of: signals.elements.count)
  }

  /// Takes out the oldest of the buffered values if they are as many as a limit and none has been requested. A request
  /// of another thread may come at any time, so both are looked at under one lock.
  ///
  /// - Returns: The value, which the caller releases when no more depends on the number of buffered values.
  @usableFromInline
  func takeOldestUnrequested(of limit: Int) -> Output? {
    core.lock.lock()
    defer { core.lock.unlock() }
    return core.demand.isNone && signals.elements.count >= limit ? signals.takeOldest() : nil
  }

  /// Cancels the inputs, and ends the stream after the buffered values.
  ///
  /// - Parameter unrequested: What becomes of values that have not been requested.
  @usableFromInline
  func finish(_ completion: Completion = .finished, unrequested: UnrequestedValuePolicy = .kept) {
    core.lock.lock()
    if signals.end(with: completion, core.demand) { self.unrequested = unrequested }
    core.lock.unlock()
    cancelInputs()
    deliverBuffered()
  }

  /// Requests the demand of the inputs that are `held`, from now on.
  @usableFromInline
  func startInputs() {
    core.lock.lock()
    hasStarted = true
    core.lock.unlock()
    for input in currentInputs where input.demand == .held { input.link.start() }
  }

  /// Cancels all inputs but one.
  ///
  /// - Parameter number: How many inputs were joined before that one.
  @usableFromInline
  func cancelInputs(except number: Int) {
    let others = currentInputs.enumerated().filter { $0.offset != number }.map(\.element)
    cancel(others)
  }

  /// Buffers values, and perhaps a completion, that are delivered after the subscription. To be called before
  /// ``DeliverySubscription/sendSubscription()``; calls nothing out.
  @usableFromInline
  func preload(_ values: some Sequence<Output>, _ completion: Completion?) {
    core.lock.lock()
    for value in values { signals.append(value, core.demand) }
    if let completion { _ = signals.end(with: completion, core.demand) }
    core.lock.unlock()
  }

  /// Cancels something when the stream ends.
  @usableFromInline
  func cancelAtEnd(_ cancellable: any Cancellable) {
    core.lock.lock()
    let isOpen = signals.isAccepting(core.demand)
    if isOpen { self.cancellable = cancellable }
    core.lock.unlock()
    if !isOpen { cancellable.cancel() }
  }

  /// Delivers or buffers a value.
  ///
  /// - Returns: Whether the subscriber has requested everything, nothing is buffered any more, and no call of it is
  ///   going on that this one was made in.
  @usableFromInline
  func sendAndDrain(_ value: Output) -> Bool {
    var isDrained = false
    withTurn {
      $0.send(value)
      core.lock.lock()
      isDrained =
        signals.isEmpty && core.demand.allowsAllElements && core.hasSentSubscription && !core.isCallingSubscriber
      core.lock.unlock()
    }
    return isDrained
  }

  /// Enters the turn, for which it may wait, and calls a closure. For signals that no input receives.
  @inlinable
  func withTurn(_ body: (Delivery) -> Void) {
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    body(self)
    leaveTurn(me, previous)
  }

  // MARK: Delivery

  @inlinable
  @inline(__always)
  func deliver(_ value: Output, to downstream: Downstream) -> Subscribers.Demand {
    let isNested = core.isCallingSubscriber
    core.isCallingSubscriber = true
    let more = downstream.receive(value)
    core.isCallingSubscriber = isNested
    if more != .none { core.returned(more.count) }
    return more
  }

  /// With the lock, which it releases: buffers a value, and delivers the buffered values that have been requested.
  @usableFromInline
  func bufferUnlocking(_ value: Output) {
    signals.append(value, core.demand)
    let isDeliverable = signals.isDeliverable(core.demand)
    core.lock.unlock()
    if isDeliverable { deliverBuffered() }
  }

  @usableFromInline
  func takeUnrequestedValue() -> Output? {
    core.lock.lock()
    defer { core.lock.unlock() }
    return core.demand.unrequested(of: signals.elements.count) == 0 ? nil : signals.takeNewest()
  }

  /// Delivers the buffered signals that have been requested, also during a call of the subscriber.
  @usableFromInline
  func deliverBuffered() {
    let isNested = core.isCallingSubscriber
    core.isCallingSubscriber = false
    perform(.deliverBuffered)
    core.isCallingSubscriber = isNested
  }

  /// - Returns: Whether it was a value, so that another signal may be deliverable.
  @usableFromInline
  func deliverNext() -> Bool {
    core.lock.lock()
    guard !core.demand.isOver, let downstream else {
      core.lock.unlock()
      releaseValues()
      return false
    }
    var demand = core.demand
    if let value = signals.takeNext(&demand) {
      core.demand = demand
      core.lock.unlock()
      let more = deliver(value, to: downstream)
      if more != .none { addUnforwarded(more) }
      return true
    }
    let terminal = signals.takeTerminal(&demand)
    if terminal == nil, dropsUnrequested {
      let dropped = signals.takeUnrequested(demand)
      core.lock.unlock()
      releaseOutsideLock(dropped)
      return true
    }
    core.demand = demand
    if terminal != nil { self.downstream = nil }
    core.lock.unlock()
    if let terminal {
      cancelInputs()
      releaseValues()
      downstream.receive(completion: terminal)
    }
    return false
  }

  // MARK: What the core calls

  @usableFromInline
  func performTyped(_ action: DeliveryAction) {
    switch action {
    case .sendSubscription: sendSubscriptionToSubscriber()
    case .subscriptionIsSent: break
    case .deliverBuffered: while aroundBuffered?(self, deliverNext) ?? deliverNext() {}
    case .releaseSubscriber: releaseSubscriber()
    case .releaseValues: releaseValues()
    }
  }

  @usableFromInline
  override func forward(_ more: UInt) {
    if more == 0 { return }
    for input in currentInputs where input.demand != .unlimited { input.link.request(Subscribers.Demand(count: more)) }
  }

  private func sendSubscriptionToSubscriber() {
    core.lock.lock()
    let downstream = self.downstream
    core.lock.unlock()
    downstream?.receive(subscription: self)
  }

  /// With the lock: whether the completion is buffered behind values that are to be dropped now.
  private var dropsUnrequested: Bool {
    // Before it has received its subscription, the subscriber cannot have requested anything.
    guard signals.terminal != nil, core.hasSentSubscription else { return false }
    return unrequested == .dropped || unrequested == .droppedAfterFirstRequest && hasRequested
  }

  private func releaseSubscriber() {
    core.lock.lock()
    let downstream = self.downstream
    self.downstream = nil
    let dropped = signals.takeAll()
    core.lock.unlock()
    cancelInputs()
    releaseOutsideLock((downstream, dropped))
  }

  /// Replaces the operator's values, with the turn.
  private func releaseValues() {
    let released = values
    values = Values()
    releaseOutsideLock(released)
    onRelease?()
  }

  // MARK: Inputs

  /// - Returns: Whether its publisher is to be subscribed to: the stream has not ended.
  @usableFromInline
  func add(_ input: InputLink, _ demand: InputDemand) -> Bool {
    core.lock.lock()
    let isOpen = signals.isAccepting(core.demand)
    if isOpen { inputs.append((input, demand)) }
    let starts = hasStarted
    core.lock.unlock()
    if starts { input.start() }
    return isOpen
  }

  private var currentInputs: ContiguousArray<(link: InputLink, demand: InputDemand)> {
    core.lock.lock()
    defer { core.lock.unlock() }
    return inputs
  }

  private func cancelInputs() {
    core.lock.lock()
    let (inputs, cancellable) = (self.inputs, self.cancellable)
    self.inputs = []
    self.cancellable = nil
    core.lock.unlock()
    cancel(inputs)
    cancellable?.cancel()
  }

  /// Ends all the links before it calls a subscription, since that may send a value to another input.
  private func cancel(_ inputs: some Sequence<(link: InputLink, demand: InputDemand)>) {
    let subscriptions = inputs.map { $0.link.detach() }
    for subscription in subscriptions { subscription?.cancel() }
  }
}

/// The values of an operator that is built on a ``Delivery``: empty at first, and again after the end.
@usableFromInline
protocol DeliveryValues {
  init()
}

/// What becomes of the values that have not been requested when a ``Delivery`` ends.
@usableFromInline
enum UnrequestedValuePolicy {
  /// The completion waits until they have been delivered.
  case kept
  /// They are dropped, so that the completion need not wait.
  case dropped
  /// The same, but not before the subscriber has requested anything: an operator may subscribe first and request later.
  case droppedAfterFirstRequest
}
