import InterflowPrimitives
import Synchronization

/// What both subjects are made of: the gate that makes signals serial, the subscribers, and the value, if it holds one.
///
/// Whoever owns the gate delivers. A signal from inside a delivery, on the owner's own thread, is delivered at once,
/// after what other threads have queued; a signal from another thread is queued, and the owner delivers it before it
/// gives the gate up. No lock is held while a subscriber is called.
@usableFromInline
final class SubjectCore<Output, Failure: Error>: @unchecked Sendable {  // See "Guarded by" below.
  @usableFromInline typealias Member = SubjectSubscription<Output, Failure>

  /// What passes through the gate.
  @usableFromInline
  enum Signal {
    case value(Output)
    case completion(Subscribers.Completion<Failure>)
    case join(Member)
    case ready(Member)
    case current(Member)
    case leave(Member)
  }

  /// The gate's owner, as its thread's identity, and two flags in the bits that an identity leaves clear.
  @frozen
  @usableFromInline
  enum Gate {
    /// Something is queued, so that the owner cannot just walk away.
    @inlinable static var queued: UInt { 1 }
    /// The completion has been sent.
    @inlinable static var closed: UInt { 2 }
    @inlinable static var owner: UInt { ~3 }
  }

  @usableFromInline let gate = Atomic<UInt>(0)

  // Guarded by `lock`: `queue`, `queuedValues`, `held`, `delivered`, `completion`, `upstreams`, `drawn`.
  // Guarded by the gate, so touched by its owner alone: `roster`, `departed`, `mustSweep`, `reached`, `end`.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var queue = RingBuffer<Signal>()
  @exclusivity(unchecked) var queuedValues = 0
  @usableFromInline @exclusivity(unchecked) var held: Output?
  @exclusivity(unchecked) var delivered: Output?
  @exclusivity(unchecked) var completion: Subscribers.Completion<Failure>?
  @exclusivity(unchecked) var upstreams: [any Subscription] = []
  @exclusivity(unchecked) var drawn: Bool
  @usableFromInline @exclusivity(unchecked) var roster = Roster()
  @exclusivity(unchecked) var departed: [Member] = []
  @usableFromInline @exclusivity(unchecked) var mustSweep = false
  /// Where the delivery of the value held is, and where it will end; `end` is zero when none is under way.
  @usableFromInline @exclusivity(unchecked) var reached = 0
  @usableFromInline @exclusivity(unchecked) var end = 0

  /// Whether the subject holds a value that a subscriber gets with its first demand.
  let replays: Bool

  /// - Parameter held: The value that the subject holds; `nil` where it holds none.
  @usableFromInline
  init(holding held: Output?) {
    self.held = held
    replays = held != nil
    drawn = held != nil
  }

  deinit {
    roster.deallocate()
  }
}

// MARK: - Sending

extension SubjectCore {
  /// Sends a value that the subject does not hold.
  @inlinable
  func pass(_ value: Output) {
    let me = currentThreadIdentity()
    if gate.compareExchange(
      expected: 0, desired: me, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged {
      deliver(value)
      leaveGate(me)
    } else if gate.load(ordering: .relaxed) == me {
      deliver(value)
    } else {
      perform(.value(value))
    }
  }

  /// Sends a value and holds it.
  @inlinable
  func hold(_ value: Output) {
    let me = currentThreadIdentity()
    lock.lock()
    if gate.compareExchange(
      expected: 0, desired: me, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged {
      let previous = held
      held = value
      lock.unlock()
      withExtendedLifetime(previous) { deliverHeld(value) }
      leaveGate(me)
    } else {
      lock.unlock()
      perform(.value(value))
    }
  }

  @inlinable
  func deliver(_ value: Output) {
    // Those who join from inside are not sent this value.
    let count = roster.count
    var index = 0
    while index < count {
      roster[index]?._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Member.self).offer(value) }
      index &+= 1
    }
  }

  /// Delivers a value that the subject holds, so that a request from inside can tell whom it will still reach.
  @inlinable
  func deliverHeld(_ value: Output) {
    let count = roster.count
    var index = 0
    end = count
    while index < count {
      reached = index
      roster[index]?._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Member.self).offer(value) }
      index &+= 1
    }
    // For a delivery around this one too: what it delivers is no longer the value held.
    end = 0
  }

  @inlinable
  func leaveGate(_ me: UInt) {
    if mustSweep
      || !gate.compareExchange(
        expected: me, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed
      )
      .exchanged
    {
      settle()
    }
  }
}

// MARK: - The gate

extension SubjectCore {
  /// Puts a signal through the gate: now where this thread owns it or nobody does, and by its owner otherwise.
  @usableFromInline
  func perform(_ signal: Signal) {
    let me = currentThreadIdentity()
    var replaced: Output?
    lock.lock()
    guard admit(signal, replacing: &replaced) else {
      lock.unlock()
      return
    }
    while true {
      let word = gate.load(ordering: .relaxed)
      switch word & Gate.owner {
      case 0:
        guard exchange(word, word | me) else { continue }
        lock.unlock()
        process(signal)
        settle()
      case me:
        if queue.isEmpty {
          lock.unlock()
          process(signal)
        } else {
          enqueue(signal, replaced)
          let ahead = queue.count
          lock.unlock()
          drain(ahead)
        }
      default:
        guard exchange(word, word | Gate.queued) else { continue }
        enqueue(signal, replaced)
        lock.unlock()
      }
      return
    }
  }

  /// Decides under the lock whether a signal still counts, and fixes the order of the values by holding each.
  private func admit(_ signal: Signal, replacing replaced: inout Output?) -> Bool {
    switch signal {
    case .value(let value):
      guard gate.load(ordering: .relaxed) & Gate.closed == 0 else { return false }
      if replays {
        replaced = held
        held = value
      }
    case .completion(let completion):
      guard gate.bitwiseOr(Gate.closed, ordering: .relaxed).oldValue & Gate.closed == 0 else {
        return false
      }
      self.completion = completion
    case .join, .ready, .current, .leave:
      break
    }
    return true
  }

  private func enqueue(_ signal: Signal, _ replaced: Output?) {
    if replays, case .value = signal {
      if queuedValues == 0 { delivered = replaced }
      queuedValues += 1
    }
    queue.append(signal)
  }

  private func exchange(_ word: UInt, _ next: UInt) -> Bool {
    gate.compareExchange(
      expected: word, desired: next, successOrdering: .acquiringAndReleasing,
      failureOrdering: .relaxed
    ).exchanged
  }

  /// Takes the oldest queued signal, with the value that it replaces as the one delivered last.
  private func dequeue() -> (Signal, Output?)? {
    lock.lock()
    guard let signal = queue.popFirst() else {
      lock.unlock()
      return nil
    }
    var previous: Output?
    if replays, case .value(let value) = signal {
      previous = delivered
      queuedValues -= 1
      delivered = queuedValues == 0 ? nil : value
    }
    lock.unlock()
    return (signal, previous)
  }

  private func drain(_ count: Int) {
    for _ in 0..<count {
      guard let (signal, previous) = dequeue() else { return }
      withExtendedLifetime(previous) { process(signal) }
    }
  }

  /// Delivers what others have queued and gives the gate up.
  @usableFromInline
  func settle() {
    while true {
      sweep()
      let word = gate.load(ordering: .relaxed)
      if word & Gate.queued == 0 {
        if exchange(word, word & Gate.closed) { return }
      } else {
        deliverQueued()
      }
    }
  }

  /// Delivers what is queued. Apart from ``settle()``, which most often finds nothing, for the metadata it looks up.
  @inline(never)
  private func deliverQueued() {
    while let (signal, previous) = dequeue() {
      withExtendedLifetime(previous) { process(signal) }
      sweep()
    }
    lock.lock()
    if queue.isEmpty { gate.bitwiseAnd(~Gate.queued, ordering: .relaxed) }
    lock.unlock()
  }

  /// Lets go of the subscribers that left while signals were delivered.
  private func sweep() {
    while mustSweep {
      mustSweep = false
      var leaving: [Member] = []
      swap(&leaving, &departed)
      for member in leaving { dismiss(member) }
    }
  }

  private func dismiss(_ member: Member) {
    let receiver = member.receiver
    member.receiver = nil
    member.held = nil
    roster.remove(member)?.release()
    receiver?.release()
  }

  private func process(_ signal: Signal) {
    switch signal {
    case .value(let value):
      if replays { deliverHeld(value) } else { deliver(value) }
    case .completion(let completion):
      complete(completion)
    case .join(let member):
      if replays, let value = latestDelivered() { member.held?.values.append(value) }
      roster.append(member)
    case .ready(let member):
      member.release()
      if member.hasEnded { depart(member) }
    case .current(let member):
      // Not where a delivery is about to bring the value.
      if member.index > reached, member.index < end { return }
      member.offerOwed(latestDelivered())
    case .leave(let member):
      depart(member)
    }
  }

  private func depart(_ member: Member) {
    departed.append(member)
    mustSweep = true
  }

  private func complete(_ completion: Subscribers.Completion<Failure>) {
    for index in 0..<roster.count {
      guard let entry = roster[index]?.takeUnretainedValue() else { continue }
      let member = unsafeDowncast(entry, to: Member.self)
      member.finish(completion)
      if member.hasEnded { depart(member) }
    }
  }

  /// The value that subscribers have been sent last, which is older than the one held while values are queued.
  private func latestDelivered() -> Output? {
    lock.lock()
    let value = queuedValues == 0 ? held : delivered
    lock.unlock()
    return value
  }
}

// MARK: - Subscribers and upstreams

extension SubjectCore {
  @inlinable
  func subscribe<S: Subscriber>(_ subscriber: S, parent: AnyObject)
  where S.Input == Output, S.Failure == Failure {
    let receiver = Receiver<Output, Failure>.of(subscriber)
    join(Member(core: self, parent: parent, receiver: receiver), receiver)
  }

  /// Takes a subscriber in, and hands it its subscription.
  @usableFromInline
  func join(_ member: Member, _ receiver: Receiver<Output, Failure>) {
    let me = currentThreadIdentity()
    var hasDrained = false
    lock.lock()
    while true {
      let word = gate.load(ordering: .relaxed)
      if word & Gate.closed != 0 {
        lock.unlock()
        _ = member.end()
        _ = member.detach()
        turnAway(receiver)
        return
      }
      switch word & Gate.owner {
      case 0:
        guard exchange(word, word | me) else { continue }
        lock.unlock()
        roster.append(member)
        receiver.receive(subscription: member)
        leaveGate(me)
      case me where !hasDrained && !queue.isEmpty:
        // The completion may follow from what is ahead.
        hasDrained = true
        let ahead = queue.count
        lock.unlock()
        drain(ahead)
        lock.lock()
        continue
      case me:
        lock.unlock()
        roster.append(member)
        receiver.receive(subscription: member)
      default:
        guard exchange(word, word | Gate.queued) else { continue }
        member.beginHolding()
        enqueue(.join(member), nil)
        lock.unlock()
        receiver.receive(subscription: member)
        perform(.ready(member))
      }
      return
    }
  }

  /// Tells a subscriber that the stream is over.
  private func turnAway(_ receiver: Receiver<Output, Failure>) {
    lock.lock()
    let completion = self.completion
    lock.unlock()
    receiver.receive(subscription: Subscriptions.empty)
    if let completion { receiver.receive(completion: completion) }
  }

  /// Lets go of a subscriber that has cancelled: at once, unless a delivery is under way.
  func leave(_ member: Member) {
    let me = currentThreadIdentity()
    if gate.compareExchange(
      expected: 0, desired: me, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged {
      dismiss(member)
      leaveGate(me)
    } else {
      perform(.leave(member))
    }
  }

  /// Asks the upstreams for their values, once a subscriber has asked for some.
  func drawFromUpstreams() {
    lock.lock()
    let subscriptions = drawn ? [] : upstreams
    drawn = true
    lock.unlock()
    for subscription in subscriptions { subscription.request(.unlimited) }
  }

  @usableFromInline
  func addUpstream(_ subscription: any Subscription) {
    lock.lock()
    upstreams.append(subscription)
    let drawn = self.drawn
    lock.unlock()
    if drawn { subscription.request(.unlimited) }
  }

  @usableFromInline
  func cancelUpstreams() {
    lock.lock()
    let subscriptions = upstreams
    upstreams = []
    lock.unlock()
    for subscription in subscriptions { subscription.cancel() }
  }

  /// Holds a value in place of another without sending it.
  ///
  /// - Parameter isReplaced: Looks at the value held, under the lock.
  /// - Returns: The value that was replaced, if it was, for the caller to let go of.
  func replaceHeld(with value: Output, where isReplaced: (Output) -> Bool) -> Output? {
    lock.lock()
    defer { lock.unlock() }
    guard queuedValues == 0, let replaced = held, isReplaced(replaced) else { return nil }
    held = value
    return replaced
  }

  /// Whether this thread is the one that delivers.
  var isOwnedByThisThread: Bool { gate.load(ordering: .relaxed) & Gate.owner == currentThreadIdentity() }

  /// The value held.
  @usableFromInline
  var current: Output? {
    lock.lock()
    let value = held
    lock.unlock()
    return value
  }
}
