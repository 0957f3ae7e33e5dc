import InterflowPrimitives

/// The way out of an operator that keeps values back: it delivers them one at a time and never more than were asked
/// for.
///
/// Values may come from several threads, and from inside a delivery. One caller at a time delivers; what others bring
/// meanwhile it delivers too, before it returns, so nothing is delivered inside another delivery and nothing recurses.
/// No lock is held while the subscriber is called. A subclass adds the inputs; its state is guarded by the same `lock`.
@usableFromInline
class Outlet<Tag, Downstream: Subscriber>: EngineSubscription {
  @usableFromInline typealias Output = Downstream.Input
  @usableFromInline typealias Completion = Subscribers.Completion<Downstream.Failure>

  // Guarded by `lock`: everything below it.
  @usableFromInline final let lock = Lock()
  @usableFromInline @exclusivity(unchecked) final var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) final var waiting = RingBuffer<(Tag, Output)>()
  @usableFromInline @exclusivity(unchecked) final var demand = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) final var isDelivering = false
  @usableFromInline @exclusivity(unchecked) final var terminal: Completion?

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

  /// The subscriber has asked for more, by a request or with the value that it took.
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
    if deliverUnlocking(value) { return true }
    if terminal == nil, downstream != nil { waiting.append((tag, value)) }
    lock.unlock()
    return false
  }

  /// With the lock: delivers a value at once if it may, and gives the lock back if it does.
  ///
  /// - Returns: Whether it did.
  @inlinable
  final func deliverUnlocking(_ value: Output) -> Bool {
    guard !isDelivering, demand != .none, waiting.isEmpty, terminal == nil, let downstream else { return false }
    isDelivering = true
    if demand != .unlimited { demand -= 1 }
    lock.unlock()
    let more = downstream.receive(value)
    lock.lock()
    demand += more
    let isDone = waiting.isEmpty && terminal == nil
    if isDone { isDelivering = false }
    lock.unlock()
    if more != .none { asked(more) }
    if !isDone { deliverWaiting() }
    return true
  }

  /// Ends the stream, after the values that wait or in their place.
  @usableFromInline
  final func finish(_ completion: Completion, droppingWaiting: Bool) {
    var dropped = RingBuffer<(Tag, Output)>()
    lock.lock()
    if terminal == nil, downstream != nil {
      terminal = completion
      if droppingWaiting { swap(&dropped, &waiting) }
    }
    startDelivering()
    withExtendedLifetime(dropped) {}
  }

  /// Drops what waits and nobody has asked for, so that a completion need not wait for it.
  @usableFromInline
  final func dropUnasked() {
    var dropped: [Output] = []
    lock.lock()
    while let asked = demand.max, waiting.count > asked, let (_, value) = waiting.popLast() { dropped.append(value) }
    lock.unlock()
    withExtendedLifetime(dropped) {}
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
    guard !isDelivering, downstream != nil else { return false }
    isDelivering = waiting.isEmpty ? terminal != nil : demand != .none
    return isDelivering
  }

  /// Lets a value wait, and delivers what may be delivered.
  @inlinable
  final func enqueue(_ value: Output, _ tag: Tag) {
    lock.lock()
    if terminal == nil, downstream != nil { waiting.append((tag, value)) }
    startDelivering()
  }

  /// Delivers until nothing is left or asked for. For whoever has set `isDelivering`.
  @inlinable
  final func deliverWaiting() {
    var delivered = 0
    while true {
      lock.lock()
      if delivered == batchSize, !waiting.isEmpty, demand != .none {
        lock.unlock()
        guard batchIsOver() else { return }
        delivered = 0
        continue
      }
      guard let downstream else {
        isDelivering = false
        lock.unlock()
        return
      }
      if demand != .none, let (tag, value) = waiting.popFirst() {
        if demand != .unlimited { demand -= 1 }
        lock.unlock()
        delivered += 1
        let more = downstream.receive(value)
        if more != .none {
          lock.lock()
          demand += more
          lock.unlock()
          asked(more)
        }
        self.delivered(tag)
      } else if waiting.isEmpty, let terminal {
        self.downstream = nil
        isDelivering = false
        lock.unlock()
        releaseInputs()
        downstream.receive(completion: terminal)
        return
      } else {
        isDelivering = false
        lock.unlock()
        return
      }
    }
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
    startDelivering()
    asked(demand)
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

  @usableFromInline final override var customMirror: Mirror {
    lock.lock()
    let (downstream, demand) = (self.downstream, self.demand)
    lock.unlock()
    return Mirror(self, children: ["downstream": downstream as Any, "demand": demand])
  }
}
