import InterflowPrimitives

/// The state that both subjects are built on: the turn, the subscribers, and the current value, if the subject holds
/// one.
///
/// A sender waits for the turn and then delivers its own signal on its own thread; during a delivery on the same thread
/// it delivers immediately. It changes state only with the turn. Subscribing, requests and cancellations never wait: if
/// they need the turn and another thread has it, they leave work to that thread.
///
/// While a thread without the turn sends a subscriber its subscription or the current value, senders must not call that
/// subscriber: there is a ``FirstCall``, and they wait for its end.
@usableFromInline
final class SubjectCore<Output, Failure: Error>: SubjectOwned, @unchecked Sendable {  // See "Guarded by" below.
  @usableFromInline typealias Member = SubjectSubscription<Output, Failure>

  @usableFromInline let turn = Turn()

  // Guarded by `lock`: `held`, `number`, `subscriberEvents`, `membersToRemove`, `firstCalls`, `upstreams`.
  // Guarded by the turn: `subscribers`.
  // Changed with the turn and under `lock`, so that either suffices to read: `completion`.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var subscribers = SubscriberList<SubjectEntry>()
  @usableFromInline @exclusivity(unchecked) var held: Output?
  /// The number of the current value, by which a delivery can tell whether a subscriber has received the value already.
  @usableFromInline @exclusivity(unchecked) var number: UInt32 = 0
  @usableFromInline @exclusivity(unchecked) var completion: Subscribers.Completion<Failure>?
  @exclusivity(unchecked) var subscriberEvents: [SubscriberEvent] = []
  @exclusivity(unchecked) var membersToRemove: [Member] = []
  @exclusivity(unchecked) var firstCalls: [FirstCall] = []
  @exclusivity(unchecked) var upstreams = SubjectUpstreams()

  /// Whether the subject holds a current value, which a subscriber receives with its first demand.
  @usableFromInline let replays: Bool

  /// - Parameter held: The first current value; `nil` for a subject without one.
  @usableFromInline
  init(holding held: Output?) {
    self.held = held
    replays = held != nil
    super.init()
    upstreams.hasRequested = replays
  }

  deinit {
    subscribers.deallocate()
  }

  // MARK: Sending

  /// Sends a value as the subject does.
  @inlinable
  func send(_ value: Output) {
    if replays { hold(value) } else { pass(value) }
  }

  /// Sends a value without storing it.
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

  /// Stores the current value and sends it.
  ///
  /// - Parameter evenIfFinished: Whether the value is stored after the completion too.
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
      // Subscribers that have subscribed since received the value before, and must receive this one too.
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
        member.finish(completion, of: self)
        if member.hasEnded { removeLater(member) }
      }
    }
    if !turn.leave(me, previous) { performWorkAndLeave(me) }
  }

  @inlinable
  func deliver(_ value: Output, _ number: UInt32 = 0) {
    // Subscribers that are added during the delivery do not receive this value.
    let count = subscribers.count
    var index = 0
    while index < count {
      subscribers[index]?._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: Member.self).offer(value, number, of: self)
      }
      index &+= 1
    }
  }

  // MARK: Work that other threads leave

  /// Does the work that others have left and leaves the turn. For the outermost call that has the turn.
  @usableFromInline
  @inline(never)
  func performWorkAndLeave(_ me: UInt) {
    repeat {
      turn.clearWork()
      var (events, removed): ([SubscriberEvent], [Member]) = ([], [])
      lock.lock()
      swap(&events, &subscriberEvents)
      swap(&removed, &membersToRemove)
      lock.unlock()
      for case .subscribed(let member) in events { subscribers.append(member) }
      for member in removed { remove(member) }
      // Last, since a subscriber may send from inside the delivery, and that value must reach all subscribers.
      for case .requested(let member) in events { member.deliverCurrentValue(of: self) }
    } while !turn.leave(me, 0)
  }

  /// Adds the subscribers that other threads have left, before a delivery. That delivery may be nested in another, so
  /// this removes no subscriber, which would move the others, and calls none.
  @usableFromInline
  @inline(never)
  func appendNewSubscribers() {
    turn.clearWork()
    var requests: [SubscriberEvent] = []
    lock.lock()
    for event in subscriberEvents {
      if case .subscribed(let member) = event { subscribers.append(member) } else { requests.append(event) }
    }
    subscriberEvents = requests
    if !requests.isEmpty || !membersToRemove.isEmpty { turn.markWork() }
    lock.unlock()
  }

  private func remove(_ member: Member) {
    let receiver = member.takeReceiver()
    subscribers.remove(member)?.release()
    receiver?.release()
  }

  /// Leaves the removal of a subscriber to the end of the delivery. With the turn.
  private func removeLater(_ member: Member) {
    lock.lock()
    membersToRemove.append(member)
    turn.markWork()
    lock.unlock()
  }

  /// Removes and releases a subscriber that has cancelled: immediately, or at the end of a running delivery.
  func removeCancelled(_ member: Member) {
    let me = currentThreadIdentity()
    if turn.tryEnter(me) {
      remove(member)
      if !turn.leave(me, 0) { performWorkAndLeave(me) }
    } else {
      removeCancelledBusy(member, me)
    }
  }

  /// Not inlined, since rare code looks up metadata at its beginning.
  @inline(never)
  private func removeCancelledBusy(_ member: Member, _ me: UInt) {
    lock.lock()
    membersToRemove.append(member)
    let previous = turn.enterOrRequestWork(me)
    if previous == me { turn.markWork() }
    lock.unlock()
    if previous == 0 { performWorkAndLeave(me) }
  }

  // MARK: The current value

  /// The current value and its number.
  var current: (value: Output, number: UInt32) {
    lock.lock()
    let value = held.unsafelyUnwrapped
    let number = number
    lock.unlock()
    return (value, number)
  }

  /// Replaces the current value without sending the new one.
  ///
  /// - Parameter isReplaced: Decides from the current value whether to replace it. Called with the lock held.
  /// - Returns: The replaced value, if there is one, which the caller releases.
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

/// What a subscription needs to know of a subject's core, without types, whose metadata it would have to look up.
@usableFromInline
class SubjectOwned {
  // Set once, by the subject's initializer.
  @exclusivity(unchecked) private final var owner: Unmanaged<AnyObject>?

  /// The subject, which has this core. Each subscription retains it until its end.
  final var subject: Unmanaged<AnyObject> {
    get { owner.unsafelyUnwrapped }
    set { owner = newValue }
  }
}

extension SubjectCore {
  /// What other threads leave to the thread that has the turn.
  enum SubscriberEvent {
    case subscribed(Member)
    /// A subscriber that had missed the current value, because it had no demand, has requested it.
    case requested(Member)
  }
}
