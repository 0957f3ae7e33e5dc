import InterflowPrimitives

/// The subscription of one subscriber to a subject.
@usableFromInline
final class SubjectSubscription<Output, Failure: Error>: SubjectEntry {
  /// The flags beside the demand.
  @frozen
  @usableFromInline
  enum State {
    /// Cancelled or completed: nothing more is delivered.
    @inlinable static var ended: UInt { PackedDemand.flag(7) }
    /// The subscriber has not received the subject's current value.
    @inlinable static var lacksCurrentValue: UInt { PackedDemand.flag(6) }
    /// A thread calls this subscriber alone, and may be without the subject's turn; see ``FirstCall``.
    @inlinable static var firstCall: UInt { PackedDemand.flag(5) }
    /// The subscriber has made a request.
    @inlinable static var hasRequested: UInt { PackedDemand.flag(4) }
    /// The subject holds a current value, which a subscriber receives with its first demand.
    @inlinable static var replays: UInt { PackedDemand.flag(3) }
    /// The subscriber received the value with the number `seen` for a request, or during a first call, rather than by
    /// the regular delivery of that value, which must therefore skip this subscriber.
    @inlinable static var receivedDirectly: UInt { PackedDemand.flag(2) }
    /// The subject has removed the subscriber during its first call, which releases it at its end.
    @inlinable static var releasesAfterFirstCall: UInt { PackedDemand.flag(1) }
  }

  // There is one of these for every live subscription to a subject, so it stores as little as possible. Guarded by
  // `lock`: `core`, which is `nil` after the end. Until then the subject is retained that has it, so only code that has
  // retained the subject, or that the core calls, may use the core.
  // Guarded by the subject's turn, or by the first call: `seen`, and `receiver`, which is retained until it is taken
  // out.
  let lock = Lock()
  @usableFromInline let state: PackedDemand
  @exclusivity(unchecked) private var core: Unmanaged<SubjectOwned>?
  @usableFromInline @exclusivity(unchecked) var receiver: Unmanaged<Receiver<Output, Failure>>?

  @usableFromInline
  init(of subject: AnyObject, _ core: SubjectCore<Output, Failure>, _ receiver: Receiver<Output, Failure>) {
    state = PackedDemand(flags: core.replays ? State.lacksCurrentValue | State.replays | State.firstCall : 0)
    self.core = .passUnretained(core)
    // Released as the core's subject.
    _ = Unmanaged.passRetained(subject)
    self.receiver = .passRetained(receiver)
  }

  deinit {
    core?._withUnsafeGuaranteedRef { $0.subject }.release()
    receiver?.release()
  }

  // MARK: Delivery

  /// Delivers a value if there is demand for it. With the turn.
  ///
  /// - Parameters:
  ///   - number: The value's number, for a subject that holds a current value.
  ///   - core: The core of the subject, which delivers.
  @inlinable
  func offer(_ value: Output, _ number: UInt32, of core: SubjectCore<Output, Failure>) {
    let exceptions = State.ended | State.lacksCurrentValue | State.firstCall | State.receivedDirectly
    if state.load() & (exceptions | PackedDemand.unlimited) == PackedDemand.unlimited {
      _ = receiver.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.deliver($0, value) }
    } else {
      offerCounted(value, number, of: core)
    }
  }

  @inlinable
  func offerCounted(_ value: Output, _ number: UInt32, of core: SubjectCore<Output, Failure>) {
    guard takeDemand(for: number, of: core) else { return }
    let more = receiver.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.deliver($0, value) }
    if more != .none { add(more) }
  }

  /// Takes one from the demand for a value. Without demand, records that the subscriber lacks the current value.
  ///
  /// - Returns: Whether the value is to be delivered.
  @usableFromInline
  func takeDemand(for number: UInt32, of core: SubjectCore<Output, Failure>) -> Bool {
    while true {
      let word = state.load()
      if word & State.ended != 0 { return false }
      var next = word
      if word & State.firstCall != 0 {
        if waitForFirstCall(of: core) { continue }
      } else if word & State.receivedDirectly != 0 {
        if Int32(bitPattern: number &- seen) <= 0 { return false }
        next &= ~State.receivedDirectly
      }
      let hasDemand = next & PackedDemand.mask != 0
      // Sent from inside the first call: a value that another thread is delivering is older than this one.
      if hasDemand, word & State.firstCall != 0, word & State.replays != 0 { next |= State.receivedDirectly }
      if hasDemand {
        next = Self.taking(from: next)
      } else if next & State.replays != 0 {
        next |= State.lacksCurrentValue
      }
      guard state.exchange(word, next) else { continue }
      if next & State.receivedDirectly != 0 { seen = number }
      if !hasDemand, word & State.replays == 0 { UnrequestedValues.wasDropped(by: ObjectIdentifier(self)) }
      return hasDemand
    }
  }

  /// - Returns: The word after a value has been taken.
  private static func taking(from word: UInt) -> UInt {
    word & PackedDemand.unlimited != 0 ? word & ~State.lacksCurrentValue : (word & ~State.lacksCurrentValue) - 1
  }

  /// Waits until another thread has ended the first call.
  ///
  /// - Returns: `false` if this thread makes the first call itself, or has borrowed its turn.
  private func waitForFirstCall(of core: SubjectCore<Output, Failure>) -> Bool {
    let me = currentThreadIdentity()
    guard let call = core.firstCallOnOtherThread(of: self, me) else {
      return state.load() & State.firstCall == 0
    }
    let previous = call.turn.enter(me)
    _ = call.turn.leave(me, previous)
    // If the call's turn has been borrowed, its owner sleeps inside the call.
    return previous == 0
  }

  /// Ends the subscription with a completion of its subject. With the turn.
  func finish(_ completion: Subscribers.Completion<Failure>, of core: SubjectCore<Output, Failure>) {
    while true {
      let word = state.load()
      if word & State.ended != 0 { return }
      if word & State.firstCall != 0, waitForFirstCall(of: core) { continue }
      // In one step with the check, so that no first call can begin between them.
      if state.exchange(word, word | State.ended) { break }
    }
    guard let receiver else { return }
    if detach() != nil { core.subject.release() }
    receiver._withUnsafeGuaranteedRef { $0.receive(completion: completion) }
  }

  // MARK: The current value

  /// Delivers the current value, if the subscriber lacks it and has demand. With the turn, or in the first call.
  func deliverCurrentValue(of core: SubjectCore<Output, Failure>) {
    while true {
      let word = state.load()
      guard Self.canDeliverCurrentValue(word) else { return }
      guard state.exchange(word, Self.taking(from: word) | State.receivedDirectly), let receiver else { continue }
      let current = core.current
      seen = current.number
      let more = receiver._withUnsafeGuaranteedRef { $0.receive(current.value) }
      if more != .none { add(more) }
      return
    }
  }

  private static func canDeliverCurrentValue(_ word: UInt) -> Bool {
    word & (State.ended | State.lacksCurrentValue) == State.lacksCurrentValue && word & PackedDemand.mask != 0
  }

  /// Ends the first call, after serving what has been requested during it.
  func endFirstCall(of core: SubjectCore<Output, Failure>) {
    while true {
      let word = state.load()
      if Self.canDeliverCurrentValue(word) {
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
    guard before & State.ended == 0, before & State.hasRequested == 0 || before & State.lacksCurrentValue != 0
    else { return }
    lock.lock()
    let core = self.core
    let subject = core?._withUnsafeGuaranteedRef { $0.subject }.retain()
    lock.unlock()
    guard let core, let subject else { return }
    core._withUnsafeGuaranteedRef {
      let core = unsafeDowncast($0, to: SubjectCore<Output, Failure>.self)
      if before & State.hasRequested == 0 { core.requestFromUpstreams() }
      if isFirst {
        core.serveFirstRequest(of: self, demand)
      } else if before & State.lacksCurrentValue != 0, before & State.firstCall == 0 {
        // The thread that makes the first call serves what is requested during it.
        core.serveLaterRequest(of: self)
      }
    }
    subject.release()
  }

  /// The demand that has not been met.
  var pending: Subscribers.Demand { Subscribers.Demand(packed: state.load()) }

  // MARK: The end

  @inlinable
  var hasEnded: Bool { state.load() & State.ended != 0 }

  /// Marks the subscription as ended.
  ///
  /// - Returns: Whether it had not ended before.
  func end() -> Bool { state.set(State.ended) & State.ended == 0 }

  /// Takes the reference to the subject out. For the code that has ended the subscription.
  ///
  /// - Returns: The core, whose subject the caller releases after its last use.
  func detach() -> Unmanaged<SubjectOwned>? {
    // Plain assignments: `take()` looks up metadata, and this runs once for each subscription.
    lock.lock()
    let core = self.core
    self.core = nil
    lock.unlock()
    return core
  }

  /// Takes the subscriber out, which the caller releases. With the turn, after the end. During a first call, leaves the
  /// release to that and returns `nil`.
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
    guard end(), let core = detach() else { return }
    core._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: SubjectCore<Output, Failure>.self).removeCancelled(self)
      return $0.subject
    }.release()
  }

  @usableFromInline override var description: String {
    state.load() & State.replays != 0 ? "CurrentValueSubject" : "PassthroughSubject"
  }

  @usableFromInline override var customMirror: Mirror { Mirror(self, children: ["demand": pending]) }
}

extension Subscribers.Demand {
  /// Traps if the demand is `.none`, for subscriptions that do not accept such a request, as Apple's.
  @inlinable
  func requireSome() {
    precondition(self != .none, "a request must ask for at least one value")
  }
}
