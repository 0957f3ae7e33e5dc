import InterflowPrimitives

/// What both subjects are built on: the turn, the subscribers, and the value, if the subject holds one.
///
/// A sender waits for the turn, and then delivers its own signal on its own thread; from inside a delivery, at once.
/// What the signal changes, it changes with the turn. Subscribing, requests and cancellations never wait: what they
/// cannot do without the turn they leave as work to the thread that has it.
///
/// A subscriber that another thread must not call for the time being, since it is receiving its subscription or the
/// value held on a thread of its own, has a ``FirstCall``, and a sender waits for the end of that.
@usableFromInline
final class SubjectCore<Output, Failure: Error>: @unchecked Sendable {  // See "Guarded by" below.
  @usableFromInline typealias Member = SubjectSubscription<Output, Failure>

  @usableFromInline let turn = Turn()

  // Guarded by `lock`: `held`, `number`, `subscriberEvents`, `membersToRemove`, `firstCalls`, `upstreams`.
  // Guarded by the turn: `subscribers`.
  // Changed with the turn and under `lock`, so that either suffices to read: `completion`.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var subscribers = SubscriberList()
  @usableFromInline @exclusivity(unchecked) var held: Output?
  /// Counts the values held, so that a deliverer can tell what a subscriber has had already.
  @usableFromInline @exclusivity(unchecked) var number: UInt32 = 0
  @usableFromInline @exclusivity(unchecked) var completion: Subscribers.Completion<Failure>?
  @exclusivity(unchecked) var subscriberEvents: [SubscriberEvent] = []
  @exclusivity(unchecked) var membersToRemove: [Member] = []
  @exclusivity(unchecked) var firstCalls: [FirstCall] = []
  @exclusivity(unchecked) var upstreams = SubjectUpstreams()

  /// Whether the subject holds a value that a subscriber gets with its first demand.
  @usableFromInline let replays: Bool

  /// - Parameter held: The value that the subject holds; `nil` where it holds none.
  @usableFromInline
  init(holding held: Output?) {
    self.held = held
    replays = held != nil
    upstreams.hasRequested = replays
  }

  deinit {
    subscribers.deallocate()
  }

  // MARK: Sending

  /// Sends a value that the subject does not hold.
  @inlinable
  func pass(_ value: Output) {
    let me = currentThreadIdentity()
    guard turn.tryEnter(me) else { return passBusy(value, me) }
    deliver(value)
    if !turn.leave(me, 0) { performWorkAndLeave(me) }
  }

  /// Sends a value from inside a delivery, or after waiting for the turn.
  @inlinable
  @inline(never)
  func passBusy(_ value: Output, _ me: UInt) {
    let previous = turn.enter(me)
    if turn.hasWork { appendNewSubscribers() }
    deliver(value)
    if !turn.leave(me, previous) { performWorkAndLeave(me) }
  }

  /// Sends a value and holds it.
  ///
  /// - Parameter evenIfFinished: Whether the value is held after the completion, too.
  @inlinable
  func hold(_ value: Output, evenIfFinished: Bool = false) {
    let me = currentThreadIdentity()
    let previous = turn.enter(me)
    if completion == nil || evenIfFinished {
      lock.lock()
      let replaced = held
      held = value
      number &+= 1
      let number = number
      lock.unlock()
      // Who subscribed before that has had the value before.
      if turn.hasWork { appendNewSubscribers() }
      withExtendedLifetime(replaced) { deliver(value, number) }
    }
    if !turn.leave(me, previous) { performWorkAndLeave(me) }
  }

  /// Ends the stream for every subscriber, once.
  @usableFromInline
  func finish(_ completion: Subscribers.Completion<Failure>) {
    let me = currentThreadIdentity()
    let previous = turn.enter(me)
    if self.completion == nil {
      lock.lock()
      self.completion = completion
      lock.unlock()
      if turn.hasWork { appendNewSubscribers() }
      let count = subscribers.count
      for index in 0..<count {
        guard let entry = subscribers[index]?.takeUnretainedValue() else { continue }
        let member = unsafeDowncast(entry, to: Member.self)
        member.finish(completion)
        if member.hasEnded { removeLater(member) }
      }
    }
    if !turn.leave(me, previous) { performWorkAndLeave(me) }
  }

  @inlinable
  func deliver(_ value: Output, _ number: UInt32 = 0) {
    // Those who join from inside are not sent this value.
    let count = subscribers.count
    var index = 0
    while index < count {
      subscribers[index]?._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Member.self).offer(value, number) }
      index &+= 1
    }
  }

  // MARK: The work that others leave

  /// Does what others have left, as the outermost call that has the turn, and gives the turn up.
  @usableFromInline
  @inline(never)
  func performWorkAndLeave(_ me: UInt) {
    repeat {
      turn.clearWork()
      var (arrived, left): ([SubscriberEvent], [Member]) = ([], [])
      lock.lock()
      swap(&arrived, &subscriberEvents)
      swap(&left, &membersToRemove)
      lock.unlock()
      for case .subscribed(let member) in arrived { subscribers.append(member) }
      for member in left { remove(member) }
      // Last, when everybody is in whom a value that is sent from inside has to reach.
      for case .requested(let member) in arrived { member.deliverCurrentValue(of: self) }
    } while !turn.leave(me, 0)
  }

  /// Takes in who has subscribed meanwhile, before a delivery that may be inside another: nobody is taken out, since
  /// that moves the others, and nobody is called.
  @usableFromInline
  @inline(never)
  func appendNewSubscribers() {
    turn.clearWork()
    var asked: [SubscriberEvent] = []
    lock.lock()
    for arrival in subscriberEvents {
      if case .subscribed(let member) = arrival { subscribers.append(member) } else { asked.append(arrival) }
    }
    subscriberEvents = asked
    if !asked.isEmpty || !membersToRemove.isEmpty { turn.markWork() }
    lock.unlock()
  }

  private func remove(_ member: Member) {
    let receiver = member.takeReceiver()
    subscribers.remove(member)?.release()
    receiver?.release()
  }

  /// Has a subscriber released when the delivery is over. With the turn.
  private func removeLater(_ member: Member) {
    lock.lock()
    membersToRemove.append(member)
    turn.markWork()
    lock.unlock()
  }

  /// Releases a subscriber that has cancelled: at once, unless a delivery is under way.
  func removeCancelled(_ member: Member) {
    let me = currentThreadIdentity()
    if turn.tryEnter(me) {
      remove(member)
      if !turn.leave(me, 0) { performWorkAndLeave(me) }
    } else {
      removeCancelledBusy(member, me)
    }
  }

  /// Apart, as is all that seldom runs, for the metadata that it looks up before it begins.
  @inline(never)
  private func removeCancelledBusy(_ member: Member, _ me: UInt) {
    lock.lock()
    membersToRemove.append(member)
    let previous = turn.enterOrRequestWork(me)
    if previous == me { turn.markWork() }
    lock.unlock()
    if previous == 0 { performWorkAndLeave(me) }
  }

  // MARK: The value held

  /// The value held, and its number.
  var current: (value: Output, number: UInt32) {
    lock.lock()
    let value = held.unsafelyUnwrapped
    let number = number
    lock.unlock()
    return (value, number)
  }

  /// Holds a value in place of another without sending it.
  ///
  /// - Parameter isReplaced: Looks at the value held, under the lock.
  /// - Returns: The value that was replaced, if it was, for the caller to release.
  func replaceHeld(with value: Output, where isReplaced: (Output) -> Bool) -> Output? {
    lock.lock()
    defer { lock.unlock() }
    guard let replaced = held, isReplaced(replaced) else { return nil }
    held = value
    return replaced
  }

  /// Whether this thread is the one that delivers.
  var isOwnedByThisThread: Bool { turn.isOwned(by: currentThreadIdentity()) }
}

extension SubjectCore {
  /// What subscribers leave to the thread that delivers.
  enum SubscriberEvent {
    case subscribed(Member)
    /// A subscriber that has missed the value held, for want of demand, has asked for it.
    case requested(Member)
  }
}
