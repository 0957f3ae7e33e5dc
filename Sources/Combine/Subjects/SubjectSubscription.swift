import InterflowPrimitives

/// The subscription of one subscriber to a subject.
@usableFromInline
final class SubjectSubscription<Output, Failure: Error>: SubscriberListEntry {
  /// The flags beside the demand.
  @frozen
  @usableFromInline
  enum State {
    /// Nothing more is delivered: cancelled or completed.
    @inlinable static var ended: UInt { PackedDemand.flag(7) }
    /// The subject holds a value that this subscriber has not had.
    @inlinable static var lacksCurrentValue: UInt { PackedDemand.flag(6) }
    /// A thread calls the subscriber without delivering to others: see ``FirstCall``.
    @inlinable static var firstCall: UInt { PackedDemand.flag(5) }
    /// There has been a request.
    @inlinable static var hasRequested: UInt { PackedDemand.flag(4) }
    /// The subject holds a value that a subscriber gets with its first demand.
    @inlinable static var replays: UInt { PackedDemand.flag(3) }
    /// The subscriber has had the value `seen` otherwise than by the delivery of that.
    @inlinable static var receivedDirectly: UInt { PackedDemand.flag(2) }
    /// The subject has released the subscriber during its first call, and left the rest to that.
    @inlinable static var releasesAfterFirstCall: UInt { PackedDemand.flag(1) }
  }

  // Every live subscription to a subject is one of these, so it keeps nothing twice. Guarded by `lock`: `parent`, which
  // is retained, and keeps `core`: whoever has it may use that, and nobody else. Guarded by the subject's turn, or by
  // the first call: `seen`, and `receiver`, which is retained, until it has been taken out.
  let lock = Lock()
  @usableFromInline let state: PackedDemand
  private let core: Unmanaged<SubjectCore<Output, Failure>>
  @exclusivity(unchecked) private var parent: Unmanaged<AnyObject>?
  @usableFromInline @exclusivity(unchecked) var receiver: Unmanaged<Receiver<Output, Failure>>?

  @usableFromInline
  init(core: Unmanaged<SubjectCore<Output, Failure>>, parent: AnyObject, receiver: Receiver<Output, Failure>) {
    let replays = core._withUnsafeGuaranteedRef { $0.replays }
    state = PackedDemand(flags: replays ? State.lacksCurrentValue | State.replays | State.firstCall : 0)
    self.core = core
    self.parent = .passRetained(parent)
    self.receiver = .passRetained(receiver)
  }

  deinit {
    parent?.release()
    receiver?.release()
  }

  // MARK: Delivery

  /// Delivers a value if there is demand for it. With the turn.
  ///
  /// - Parameter number: The value's, where the subject holds it.
  @inlinable
  func offer(_ value: Output, _ number: UInt32) {
    let exceptions = State.ended | State.lacksCurrentValue | State.firstCall | State.receivedDirectly
    if state.load() & (exceptions | PackedDemand.unlimited) == PackedDemand.unlimited {
      _ = receiver.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.deliver($0, value) }
    } else {
      offerCounted(value, number)
    }
  }

  @inlinable
  func offerCounted(_ value: Output, _ number: UInt32) {
    guard takeDemand(for: number) else { return }
    let more = receiver.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.deliver($0, value) }
    if more != .none { add(more) }
  }

  /// Takes one from the demand; where there is none, remembers that a value is owed.
  @usableFromInline
  func takeDemand(for number: UInt32) -> Bool {
    while true {
      let word = state.load()
      if word & State.ended != 0 { return false }
      var next = word
      if word & State.firstCall != 0 {
        if waitForFirstCall() { continue }
      } else if word & State.receivedDirectly != 0 {
        if Int32(bitPattern: number &- seen) <= 0 { return false }
        next &= ~State.receivedDirectly
      }
      let isWanted = next & PackedDemand.mask != 0
      // This comes from inside the first call, and what the thread that delivers has for this subscriber is older.
      if isWanted, word & State.firstCall != 0, word & State.replays != 0 { next |= State.receivedDirectly }
      if isWanted {
        next = Self.taking(from: next)
      } else if next & State.replays != 0 {
        next |= State.lacksCurrentValue
      }
      guard state.exchange(word, next) else { continue }
      if next & State.receivedDirectly != 0 { seen = number }
      return isWanted
    }
  }

  /// - Returns: The word when a value has been delivered.
  private static func taking(from word: UInt) -> UInt {
    word & PackedDemand.unlimited != 0 ? word & ~State.lacksCurrentValue : (word & ~State.lacksCurrentValue) - 1
  }

  /// Waits until another thread has ended the first call.
  ///
  /// - Returns: `false` where this thread itself makes it.
  private func waitForFirstCall() -> Bool {
    let me = currentThreadIdentity()
    guard let call = core._withUnsafeGuaranteedRef({ $0.firstCallOnOtherThread(of: self, me) }) else {
      return state.load() & State.firstCall == 0
    }
    let previous = call.turn.enter(me)
    _ = call.turn.leave(me, previous)
    // Where the call's turn has been borrowed, its owner sleeps inside it.
    return previous == 0
  }

  /// Ends the subscription with a completion. With the turn.
  func finish(_ completion: Subscribers.Completion<Failure>) {
    while true {
      let word = state.load()
      if word & State.ended != 0 { return }
      if word & State.firstCall != 0, waitForFirstCall() { continue }
      // In one step, or a first call might begin between.
      if state.exchange(word, word | State.ended) { break }
    }
    guard let receiver else { return }
    detach()?.release()
    receiver._withUnsafeGuaranteedRef { $0.receive(completion: completion) }
  }

  // MARK: The value held

  /// Delivers the value held if the subscriber has not had it and wants it. With the turn, or in the first call.
  func deliverCurrentValue(of core: SubjectCore<Output, Failure>) {
    while true {
      let word = state.load()
      guard word & (State.ended | State.lacksCurrentValue) == State.lacksCurrentValue, word & PackedDemand.mask != 0
      else { return }
      guard state.exchange(word, Self.taking(from: word) | State.receivedDirectly), let receiver else { continue }
      let current = core.current
      seen = current.number
      let more = receiver._withUnsafeGuaranteedRef { $0.receive(current.value) }
      if more != .none { add(more) }
      return
    }
  }

  /// Ends the first call, after what has been requested during it.
  func endFirstCall(of core: SubjectCore<Output, Failure>) {
    while true {
      let word = state.load()
      if word & (State.ended | State.lacksCurrentValue) == State.lacksCurrentValue, word & PackedDemand.mask != 0 {
        deliverCurrentValue(of: core)
      } else if state.exchange(word, word & ~State.firstCall) {
        if word & State.releasesAfterFirstCall != 0 { takeReceiver()?.release() }
        return
      }
    }
  }

  // MARK: Demand

  /// Adds to the demand.
  ///
  /// - Returns: The state before.
  @usableFromInline
  @discardableResult
  func add(_ demand: Subscribers.Demand) -> UInt {
    state.add(demand.rawValue, setting: State.hasRequested, unless: State.ended)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.requireSome()
    let word = state.load()
    let isFirst = word & (State.replays | State.hasRequested) == State.replays
    let before = isFirst ? word : add(demand)
    guard before & State.ended == 0, before & State.hasRequested == 0 || before & State.lacksCurrentValue != 0 else {
      return
    }
    lock.lock()
    let parent = self.parent?.retain()
    lock.unlock()
    guard let parent else { return }
    core._withUnsafeGuaranteedRef {
      if before & State.hasRequested == 0 { $0.requestFromUpstreams() }
      if isFirst {
        $0.serveFirstRequest(of: self, demand)
      } else if before & State.lacksCurrentValue != 0, before & State.firstCall == 0 {
        // Whoever makes the first call serves what is requested during it.
        $0.serveLaterRequest(of: self)
      }
    }
    parent.release()
  }

  /// What has been requested and has not come yet.
  var pending: Subscribers.Demand { Subscribers.Demand(packed: state.load()) }

  // MARK: The end

  @inlinable
  var hasEnded: Bool { state.load() & State.ended != 0 }

  /// Marks the subscription as over.
  ///
  /// - Returns: Whether it was not over before.
  func end() -> Bool { state.set(State.ended) & State.ended == 0 }

  /// Takes the subject out. For whoever ended the subscription.
  ///
  /// - Returns: The subject, for the caller to release once it is through with the core.
  func detach() -> Unmanaged<AnyObject>? {
    // Plain assignments: `take()` and its like look metadata up, and this runs once for each subscription.
    lock.lock()
    let parent = self.parent
    self.parent = nil
    lock.unlock()
    return parent
  }

  /// Takes the subscriber out, for the caller to release; with the turn, when the subscription is over.
  func takeReceiver() -> Unmanaged<Receiver<Output, Failure>>? {
    if state.load() & State.firstCall != 0, state.set(State.releasesAfterFirstCall) & State.firstCall != 0 {
      return nil
    }
    let receiver = self.receiver
    self.receiver = nil
    return receiver
  }

  @usableFromInline
  override func cancel() {
    guard end(), let parent = detach() else { return }
    core._withUnsafeGuaranteedRef { $0.removeCancelled(self) }
    parent.release()
  }

  @usableFromInline override var description: String {
    state.load() & State.replays != 0 ? "CurrentValueSubject" : "PassthroughSubject"
  }

  @usableFromInline override var customMirror: Mirror { Mirror(self, children: ["demand": pending]) }
}

extension Subscribers.Demand {
  /// Traps when no values are requested, where Combine forbids that.
  @inlinable
  func requireSome() {
    precondition(self != .none, "a request must ask for at least one value")
  }
}
