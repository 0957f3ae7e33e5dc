import InterflowPrimitives
import Synchronization

/// The subscription of one subscriber to a subject.
@usableFromInline
final class SubjectSubscription<Output, Failure: Error>: RosterMember {
  /// The demand and five flags in one word, so that one atomic step takes every decision about them.
  @frozen
  @usableFromInline
  enum State {
    /// Nothing more is delivered: cancelled or completed.
    @inlinable static var ended: UInt { 1 << 63 }
    /// A subject that holds a value has one that this subscriber has not had.
    @inlinable static var owed: UInt { 1 << 62 }
    /// Signals are kept until the subscriber's `receive(subscription:)` has returned on another thread.
    @inlinable static var holding: UInt { 1 << 61 }
    /// There has been a request.
    @inlinable static var asked: UInt { 1 << 60 }
    /// The subject holds a value that a subscriber gets with its first demand.
    @inlinable static var replays: UInt { 1 << 59 }
    /// Demand has no limit; the bits below count it otherwise.
    @inlinable static var unlimited: UInt { 1 << 58 }
    @inlinable static var demand: UInt { unlimited | (unlimited - 1) }
  }

  // Every live subscription to a subject is one of these, so it keeps nothing twice. Guarded by `lock`: `parent`, which
  // is retained, and keeps `core`: whoever has got it may use that, and nobody else. Guarded by the subject's gate:
  // `occupant`, a retained `HeldSignals` while `State.holding` is set and a retained `Receiver` otherwise; `nil` once it
  // has been let go of.
  let lock = Lock()
  @usableFromInline let state: Atomic<UInt>
  private let core: Unmanaged<SubjectCore<Output, Failure>>
  @exclusivity(unchecked) private var parent: Unmanaged<AnyObject>?
  @usableFromInline @exclusivity(unchecked) var occupant: UnsafeRawPointer?

  @usableFromInline
  init(core: Unmanaged<SubjectCore<Output, Failure>>, parent: AnyObject, receiver: Receiver<Output, Failure>) {
    state = Atomic(core._withUnsafeGuaranteedRef { $0.replays } ? State.owed | State.replays : 0)
    self.core = core
    self.parent = .passRetained(parent)
    occupant = UnsafeRawPointer(Unmanaged.passRetained(receiver).toOpaque())
  }

  deinit {
    parent?.release()
    _ = takeOccupant()
  }

  /// The subscriber. While signals are not held.
  @inlinable
  var receiver: Unmanaged<Receiver<Output, Failure>>? { occupant.map { .fromOpaque($0) } }

  /// The signals that are held, if any are.
  var held: HeldSignals<Output, Failure>? {
    guard state.load(ordering: .relaxed) & State.holding != 0, let occupant else { return nil }
    return Unmanaged<HeldSignals<Output, Failure>>.fromOpaque(occupant).takeUnretainedValue()
  }

  private func occupy(_ object: AnyObject) {
    occupant = UnsafeRawPointer(Unmanaged.passRetained(object).toOpaque())
  }

  /// Takes out the subscriber, or the signals held for it, for the caller to let go of.
  func takeOccupant() -> AnyObject? {
    guard let occupant else { return nil }
    self.occupant = nil
    return Unmanaged<AnyObject>.fromOpaque(occupant).takeRetainedValue()
  }

  /// Delivers a value if there is demand for it. For the owner of the gate.
  @inlinable
  func offer(_ value: Output) {
    let flags = State.ended | State.owed | State.holding | State.unlimited
    if state.load(ordering: .acquiring) & flags == State.unlimited {
      _ = receiver.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.deliver($0, value) }
    } else {
      offerCounted(value)
    }
  }

  @inlinable
  func offerCounted(_ value: Output) {
    guard takesValue() else {
      hold(value)
      return
    }
    let more = receiver.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.deliver($0, value) }
    if more != .none { add(more) }
  }

  /// Takes one from the demand; where there is none, remembers that a value is owed.
  @usableFromInline
  func takesValue() -> Bool { takesValue(unless: State.ended | State.holding) }

  private func takesValue(unless refusal: UInt) -> Bool {
    var word = state.load(ordering: .acquiring)
    while true {
      if word & refusal != 0 { return false }
      var next = word & ~State.owed
      let demand = word & State.demand
      if demand == 0 {
        if word & (State.replays | State.owed) != State.replays { return false }
        next |= State.owed
      } else if demand & State.unlimited == 0 {
        next -= 1
      }
      let (exchanged, original) = state.compareExchange(
        expected: word, desired: next, ordering: .acquiringAndReleasing)
      if exchanged { return demand != 0 }
      word = original
    }
  }

  @usableFromInline
  func hold(_ value: Output) {
    guard state.load(ordering: .relaxed) & (State.holding | State.ended) == State.holding, let held
    else { return }
    held.values.append(value)
    if held.isReleased { deliverHeld(held) }
  }

  /// Delivers the value that the subject holds, if the subscriber has not had it and wants one.
  func offerOwed(_ value: @autoclosure () -> Output?) {
    // While signals are held, the value is among them.
    guard state.load(ordering: .acquiring) & (State.owed | State.holding) == State.owed,
      let value = value()
    else {
      return
    }
    offerCounted(value)
  }

  /// Ends the subscription with a completion. For the owner of the gate.
  func finish(_ completion: Subscribers.Completion<Failure>) {
    if state.load(ordering: .acquiring) & State.holding != 0, let held {
      held.completion = completion
      if held.isReleased { deliverHeld(held) }
    } else if end(), let receiver {
      detach()?.release()
      receiver._withUnsafeGuaranteedRef { $0.receive(completion: completion) }
    }
  }

  /// Keeps signals back until ``release()``. Before the subscription is known to anybody.
  func beginHolding() {
    guard let receiver = receiver?.takeUnretainedValue() else { return }
    let released = takeOccupant()
    occupy(HeldSignals<Output, Failure>(receiver))
    withExtendedLifetime(released) {}
    state.bitwiseOr(State.holding, ordering: .relaxed)
  }

  /// Delivers what came while the subscriber was still being told of its subscription. For the owner of the gate.
  func release() {
    guard let held else { return }
    held.isReleased = true
    deliverHeld(held)
  }

  /// Delivers what is held, to which a signal sent from inside is added, so that it goes last and still is nested.
  private func deliverHeld(_ held: HeldSignals<Output, Failure>) {
    while let value = held.values.popFirst() {
      guard takesValue(unless: State.ended) else { continue }
      let more = held.receiver.receive(value)
      if more != .none { add(more) }
    }
    // A signal from inside may have done the rest.
    guard self.held === held else { return }
    withExtendedLifetime(takeOccupant()) { occupy(held.receiver) }
    state.bitwiseAnd(~State.holding, ordering: .acquiringAndReleasing)
    if let completion = held.completion { finish(completion) }
  }

  /// Adds to the demand.
  ///
  /// - Returns: The state before.
  @usableFromInline
  @discardableResult
  func add(_ demand: Subscribers.Demand) -> UInt {
    let more = Swift.min(demand.rawValue, State.unlimited)
    var word = state.load(ordering: .relaxed)
    while true {
      if word & State.ended != 0 { return word }
      let sum = Swift.min((word & State.demand) + more, State.unlimited)
      let next =
        (word & ~State.demand) | (word & State.unlimited != 0 ? State.unlimited : sum) | State.asked
      let (exchanged, original) = state.compareExchange(
        expected: word, desired: next, ordering: .acquiringAndReleasing)
      if exchanged { return word }
      word = original
    }
  }

  var hasEnded: Bool { state.load(ordering: .acquiring) & State.ended != 0 }

  /// Marks the subscription as over.
  ///
  /// - Returns: Whether it was not over before.
  func end() -> Bool {
    state.bitwiseOr(State.ended, ordering: .acquiringAndReleasing).oldValue & State.ended == 0
  }

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

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.requireSome()
    let before = add(demand)
    guard before & State.ended == 0, before & State.asked == 0 || before & State.owed != 0 else {
      return
    }
    lock.lock()
    let parent = self.parent?.retain()
    lock.unlock()
    guard let parent else { return }
    core._withUnsafeGuaranteedRef {
      if before & State.asked == 0 { $0.drawFromUpstreams() }
      if before & State.owed != 0 { $0.offerCurrent(self) }
    }
    parent.release()
  }

  @usableFromInline
  override func cancel() {
    guard end(), let parent = detach() else { return }
    core._withUnsafeGuaranteedRef { $0.leave(self) }
    parent.release()
  }

  @usableFromInline override var description: String {
    state.load(ordering: .relaxed) & State.replays != 0 ? "CurrentValueSubject" : "PassthroughSubject"
  }

  /// Whose the subject is, until the end.
  var owner: AnyObject? {
    lock.lock()
    let owner = parent?.takeUnretainedValue()
    lock.unlock()
    return owner
  }

  /// The subscriber, until the end; `nil` while another thread delivers.
  var downstream: Any? {
    guard let owner else { return nil }
    return withExtendedLifetime(owner) { core._withUnsafeGuaranteedRef { $0.subscriber(of: self) } }
  }

  /// What was asked for and has not come yet.
  var pending: Subscribers.Demand {
    let demand = state.load(ordering: .relaxed) & State.demand
    return demand >= State.unlimited ? .unlimited : .max(Int(demand))
  }

  @usableFromInline override var customMirror: Mirror {
    let owner = owner as Any
    return Mirror(
      self, children: ["parent": owner, "downstream": downstream as Any, "demand": pending, "subject": owner])
  }
}

/// What a subject delivers to a subscriber that is not ready to hear it.
final class HeldSignals<Output, Failure: Error> {
  let receiver: Receiver<Output, Failure>

  // Guarded by the subject's gate: everything below it.
  var values = RingBuffer<Output>()
  var completion: Subscribers.Completion<Failure>?

  /// Whether the subscriber is ready, and what is held is being delivered.
  var isReleased = false

  init(_ receiver: Receiver<Output, Failure>) {
    self.receiver = receiver
  }
}

extension Subscribers.Demand {
  /// Traps when no values are requested, where Combine forbids that.
  @inlinable
  func requireSome() {
    precondition(self != .none, "a request must ask for at least one value")
  }
}
