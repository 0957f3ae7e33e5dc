import InterflowPrimitives

/// The way out of an operator that keeps values back: it delivers them one at a time and never more than were asked
/// for.
///
/// Values may come from several threads, and from inside a delivery. One thread at a time delivers; what others bring
/// meanwhile it delivers too, before it returns. What it brings itself, from inside the subscriber, waits as well, so
/// that nothing recurses, unless the subclass says that it nests: see ``nestUnlocking(_:)``. No lock is held while the
/// subscriber is called. A subclass adds the inputs; its state is guarded by the same `lock`.
@usableFromInline
class Outlet<Tag, Downstream: Subscriber>: EngineSubscription {
  @usableFromInline typealias Output = Downstream.Input
  @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

  // Guarded by `lock`: everything below it.
  @usableFromInline final let lock = Lock()
  @usableFromInline @exclusivity(unchecked) final var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) final var waiting = RingBuffer<(Tag, Output)>()
  @usableFromInline @exclusivity(unchecked) final var demand = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) final var terminal: Completion?

  // Guarded by `lock`: both. The thread that delivers; zero where none does. And the one that hands the subscriber its
  // subscription, while it does: see ``introduce()``.
  @usableFromInline @exclusivity(unchecked) final var deliverer: UInt = 0
  @usableFromInline @exclusivity(unchecked) final var introducer: UInt = 0

  // Only for the thread that delivers: whether it is inside the subscriber's `receive`, rather than on its way there.
  @usableFromInline @exclusivity(unchecked) final var isInsideValue = false

  // Formed where the subscriber's type is known, so that a request, which is not, delivers through specialised code.
  @usableFromInline final let drain: (Outlet) -> Void

  /// How many values are delivered before ``batchIsOver()`` is asked where to deliver the rest.
  @usableFromInline final let batchSize: Int

  @usableFromInline final let name: OperatorName

  @inlinable static var _chainWeight: Int { Downstream._chainWeight + ChainWeight.stage }

  @inlinable
  init(_ downstream: Downstream, _ name: OperatorName, batchSize: Int = .max) {
    self.downstream = downstream
    self.name = name
    self.batchSize = batchSize
    drain = { $0.deliverWaiting() }
  }

  // MARK: What a subclass is told, always without the lock

  /// A value that had to wait has been delivered.
  @usableFromInline
  func delivered(_ tag: Tag) {}

  /// A request has been served as far as it could be.
  @usableFromInline
  func requestServed() {}

  /// The subscriber has asked for more, by a request or with the value that it took. What comes in while this is told
  /// waits until the delivery goes on, so that requests do not recurse.
  @usableFromInline
  func asked(_ more: Subscribers.Demand) {}

  /// Nothing more will be delivered: cancel what is upstream.
  @usableFromInline
  func releaseInputs() {}

  /// Starts the delivery that has been decided on: here and now, unless a subclass knows a better place.
  @usableFromInline
  func beginDelivering() {
    drain(self)
  }

  /// Whether a request for no values is let pass, as Apple's operators do that only hand requests on.
  @usableFromInline
  var acceptsEmptyRequests: Bool { false }

  /// A batch has been delivered and more waits.
  ///
  /// - Returns: Whether to go on here; otherwise the rest is delivered elsewhere.
  @usableFromInline
  func batchIsOver() -> Bool { true }

  // MARK: What a subclass calls

  /// With the lock: whether somebody delivers, or has claimed to.
  @inlinable
  final var isDelivering: Bool {
    get { deliverer != 0 }
    set {
      deliverer = newValue ? currentThreadIdentity() : introducer == 0 ? 0 : .introduction
      isInsideValue = false
    }
  }

  /// Delivers a value at once if it may, or lets it wait.
  ///
  /// - Returns: Whether the value was delivered at once.
  @inlinable
  @discardableResult
  final func send(_ value: Output, _ tag: Tag) -> Bool {
    lock.lock()
    return sendUnlocking(value, tag)
  }

  /// With the lock, which it gives back: delivers a value at once if it may, or lets it wait.
  ///
  /// - Returns: Whether the value was delivered at once.
  @inlinable
  final func sendUnlocking(_ value: Output, _ tag: Tag) -> Bool {
    if let more = deliverUnlocking(value) {
      if more != .none { asked(more) }
      return true
    }
    if terminal == nil, downstream != nil { waiting.append((tag, value)) }
    if deliverer == .introduction { startDelivering() } else { lock.unlock() }
    return false
  }

  /// With the lock: delivers a value at once if it may, and gives the lock back if it does.
  ///
  /// - Parameter nests: Whether it may inside another delivery, on the thread that makes that.
  /// - Returns: What the subscriber asks for with it, which ``asked(_:)`` has not been told; `nil` if it may not.
  @inlinable
  @inline(__always)
  final func deliverUnlocking(_ value: Output, nests: Bool = false) -> Subscribers.Demand? {
    guard demand != .none, waiting.isEmpty, terminal == nil, let downstream else { return nil }
    guard deliverer == 0 else { return nests ? nestUnlocking(value) : nil }
    // Where nothing nests it does not matter which thread this is, and to ask takes a call.
    deliverer = nests ? currentThreadIdentity() : .anyThread
    isInsideValue = true
    if demand != .unlimited { demand -= 1 }
    lock.unlock()
    let more = downstream.receive(value)
    lock.lock()
    demand += more
    let isDone = waiting.isEmpty && terminal == nil
    if isDone { deliverer = 0 } else { isInsideValue = false }
    lock.unlock()
    if !isDone { deliverWaiting() }
    return more
  }

  /// Ends the stream after the values that wait, or only after those of them that have been asked for.
  @usableFromInline
  final func finish(_ completion: Completion, droppingUnasked: Bool = false) {
    close(completion, droppingUnasked: droppingUnasked)
    lock.lock()
    startDelivering()
  }

  /// Takes nothing more in, without delivering what waits.
  @usableFromInline
  final func close(_ completion: Completion, droppingUnasked: Bool = false) {
    lock.lock()
    let isFirst = terminal == nil && downstream != nil
    if isFirst { terminal = completion }
    lock.unlock()
    if isFirst, droppingUnasked { dropUnasked() }
  }

  /// Drops what waits and nobody has asked for, so that a completion need not wait for it.
  @usableFromInline
  final func dropUnasked() {
    lock.lock()
    let unasked = demand.max.map { Swift.max(0, waiting.count - $0) } ?? 0
    let dropped = dropLast(unasked)
    lock.unlock()
    withExtendedLifetime(dropped) {}
  }

  /// With the lock: takes out the newest of what waits, to be released without the lock.
  @usableFromInline
  final func dropLast(_ count: Int) -> [Output] {
    (0..<count).compactMap { _ in waiting.popLast()?.1 }
  }

  /// With the lock, which it gives back: delivers what may be delivered, unless somebody already does.
  @inlinable
  final func startDelivering() {
    let isClaimed = claimDelivery()
    lock.unlock()
    if isClaimed { beginDelivering() }
  }

  /// With the lock: takes the right to deliver, if there is something to deliver and nobody has it.
  @inlinable
  final func claimDelivery() -> Bool {
    guard !isDelivering || mayDeliverIntroducing, downstream != nil else { return false }
    guard waiting.isEmpty ? terminal != nil : demand != .none else { return false }
    isDelivering = true
    return true
  }

  /// Delivers until nothing is left or asked for. For whoever has set `isDelivering`.
  @inlinable
  final func deliverWaiting() {
    var delivered = 0
    while deliverNext(isDone: true) {
      delivered += 1
      guard delivered == batchSize else { continue }
      delivered = 0
      lock.lock()
      let isOver = !waiting.isEmpty && demand != .none
      lock.unlock()
      if isOver, !batchIsOver() { return }
    }
  }

  /// Delivers the next signal that may be delivered, and whoever delivers is done when there is none.
  ///
  /// - Returns: Whether it was a value.
  @inlinable
  final func deliverNext(isDone whenNone: Bool) -> Bool {
    lock.lock()
    guard let downstream else {
      if whenNone { isDelivering = false }
      lock.unlock()
      return false
    }
    if demand != .none, let (tag, value) = waiting.popFirst() {
      if demand != .unlimited { demand -= 1 }
      lock.unlock()
      isInsideValue = true
      let more = downstream.receive(value)
      isInsideValue = false
      if more != .none {
        lock.lock()
        demand += more
        lock.unlock()
        asked(more)
      }
      self.delivered(tag)
      return true
    }
    let ending = waiting.isEmpty ? terminal : nil
    if ending != nil { self.downstream = nil }
    if whenNone { isDelivering = false }
    lock.unlock()
    if let ending {
      releaseInputs()
      downstream.receive(completion: ending)
    }
    return false
  }

  // MARK: Subscription

  @usableFromInline
  final override func request(_ demand: Subscribers.Demand) {
    if acceptsEmptyRequests, demand == .none { return }
    demand.requireSome()
    lock.lock()
    guard downstream != nil else {
      lock.unlock()
      return
    }
    self.demand += demand
    let isNested = deliverer != 0 && isInside
    startDelivering()
    if isNested { isInsideValue = false }
    asked(demand)
    if isNested { isInsideValue = true }
    requestServed()
  }

  /// The subscriber, until the end.
  @usableFromInline
  final var currentDownstream: Downstream? {
    lock.lock()
    let downstream = self.downstream
    lock.unlock()
    return downstream
  }

  @usableFromInline
  final override func cancel() {
    var dropped = RingBuffer<(Tag, Output)>()
    lock.lock()
    let downstream = self.downstream
    self.downstream = nil
    swap(&dropped, &waiting)
    lock.unlock()
    withExtendedLifetime(dropped) {}
    if downstream != nil { releaseInputs() }
  }

  @usableFromInline final override var description: String { name.description }

  @usableFromInline override var customMirror: Mirror {
    lock.lock()
    let (downstream, demand) = (self.downstream, self.demand)
    lock.unlock()
    return Mirror(self, children: ["downstream": downstream.map { $0 as Any } ?? downstream as Any, "demand": demand])
  }
}
