import Combine
import InterflowPrimitives
import Synchronization

/// A subject that stores the latest values, which a new subscriber receives first, also after the completion.
///
/// ```swift
/// let positions = ReplaySubject<Int, Never>(bufferSize: 2)
/// for position in 1...3 { positions.send(position) }
/// let cancellable = positions.sink { print($0) }  // 2, 3
/// ```
///
/// - Demand: Values that a subscriber has not requested are buffered for it. The completion follows them.
/// - Cancellation: A subscriber that cancels while values are delivered is released when the outermost delivery has ended.
/// - Thread: Values are delivered on the thread that sends them, one at a time. If another thread is delivering, the
///   sender waits. A value that is sent from inside a subscriber is delivered immediately. A completion is too, so
///   subscribers that have not had the value by then do not get it, as with `PassthroughSubject`; those that come later
///   do. Subscribing never waits.
public final class ReplaySubject<Output, Failure: Error>: Subject {
  /// The kind of values.
  public typealias Output = Output
  /// The kind of failure.
  public typealias Failure = Failure

  @usableFromInline let turn = Turn()
  @usableFromInline let age: ReplayAge?

  // Guarded by the turn: `members`.
  // Guarded by `lock`: `arrivals`, `departures`; `replay` too, see `isSettled`.
  // Changed with the turn and under `lock`, so that either suffices to read: `completion`.
  @usableFromInline let lock = Lock()
  /// Whether the thread that has the turn uses `replay` under `lock` only, from now until it leaves the turn. Before
  /// that it may store one value without the lock: a lock costs as much as the turn. False while the turn is free.
  ///
  /// A thread without the turn marks the turn under the lock, so that it cannot be left without the lock, and waits
  /// until this is true; see ``lockReplay(_:)``.
  @usableFromInline let isSettled = Atomic(false)
  @usableFromInline @exclusivity(unchecked) var members = SubscriberList<ReplayEntry>()
  @usableFromInline @exclusivity(unchecked) var replay: ReplayBuffer<Output>
  @usableFromInline @exclusivity(unchecked) var completion: Subscribers.Completion<Failure>?
  /// The subscribers that have come during a delivery of another thread, for whose end they do not wait. That thread adds
  /// them to `members`, before the next value. None while the turn is free.
  @usableFromInline @exclusivity(unchecked) var arrivals: ContiguousArray<ReplayEntry> = []
  /// The subscribers that have ended during a delivery. The thread that has the turn removes them when it leaves.
  @exclusivity(unchecked) private var departures: ContiguousArray<ReplayEntry> = []

  /// Makes a subject.
  ///
  /// - Parameter bufferSize: How many values a new subscriber receives.
  public convenience init(bufferSize: Int) {
    self.init(ReplayBuffer(capacity: bufferSize))
  }

  /// Makes a subject that stores values for a limited time.
  ///
  /// - Parameters:
  ///   - bufferSize: How many values a new subscriber receives at most.
  ///   - age: How old they are at most.
  ///   - scheduler: Measures the time. If its clock is set back, as that of `RunLoop` and `OperationQueue` may be, the
  ///     values before that, and those behind them, stay until it has passed the earlier times.
  public convenience init<S: Scheduler>(
    bufferSize: Int = .max, within age: S.SchedulerTimeType.Stride, scheduler: S
  ) {
    self.init(ReplayBuffer(capacity: bufferSize), ReplayAge(age, scheduler))
  }

  /// Makes a subject that stores all values for its first subscriber, and none for others.
  static func untilSubscribed() -> ReplaySubject {
    ReplaySubject(ReplayBuffer(capacity: .max, isForFirstSubscriber: true))
  }

  private init(_ replay: ReplayBuffer<Output>, _ age: ReplayAge? = nil) {
    self.replay = replay
    self.age = age
  }

  deinit {
    members.deallocate()
  }

  /// Sends a value to the subscribers, and stores it for those to come. Ignored after the completion.
  @inlinable
  public func send(_ value: Output) {
    send(value, from: nil)
  }

  /// Sends a value, if it still counts when this thread has the turn, for which it may have waited: if it is from no
  /// link, or from one that has not ended.
  @inlinable
  @inline(__always)
  func send(_ value: Output, from link: InputLink?) {
    let me = currentThreadIdentity()
    guard age == nil, turn.tryEnter(me) else { return sendBusy(value, me, link) }
    if completion == nil, link?.isLinked ?? true {
      let replaced = replay.append(value)
      isSettled.store(true, ordering: .releasing)
      deliver(value)
      // Not before, since its `deinit` may send a value, which would be delivered first.
      releaseOutsideLock(replaced)
      isSettled.store(false, ordering: .relaxed)
    }
    if !turn.leave(me, 0) { performWorkAndLeave(me) }
  }

  /// Sends a value from inside a delivery, after waiting for the turn, or with the time.
  @inlinable
  @inline(never)
  func sendBusy(_ value: Output, _ me: UInt, _ link: InputLink?) {
    let previous = enter(me)
    if completion == nil, link?.isLinked ?? true {
      let replaced = if let age { store(value, age) } else { store(value) }
      deliver(value)
      releaseOutsideLock(replaced)
    }
    leave(me, previous)
  }

  @inlinable
  @inline(__always)
  func deliver(_ value: Output) {
    // A subscriber that comes during the delivery comes after this value: it gets it as a stored one, or not at all.
    let count = members.count
    var index = 0
    while index < count {
      members[index]?._withUnsafeGuaranteedRef {
        let member = unsafeDowncast($0, to: ReplayMember<Output, Failure>.self)
        member.deliver(member, value)
      }
      index &+= 1
    }
  }

  /// Stores a value, in one step with the look at the subscribers: one that comes later gets it as a stored one.
  ///
  /// - Returns: The value that it replaces, which the caller releases.
  @usableFromInline
  func store(_ value: Output) -> Output? {
    lock.lock()
    let replaced = replay.append(value)
    if !arrivals.isEmpty { addArrivals() }
    lock.unlock()
    return replaced
  }

  /// The same with the time. Removes the values that are too old by now.
  @usableFromInline
  func store(_ value: Output, _ age: ReplayAge) -> Output? {
    var now = age.now()
    // The release of a value may make time pass, and store another: the times must not decrease.
    if removeExpired(at: now, age) { now = age.now() }
    lock.lock()
    // Those calls may have completed the subject.
    guard completion == nil else {
      lock.unlock()
      return nil
    }
    let replaced = replay.append(value, at: now)
    if !arrivals.isEmpty { addArrivals() }
    lock.unlock()
    return replaced?.value
  }

  /// Removes the values that are too old. They are compared without the lock, since that calls the scheduler's types.
  ///
  /// - Returns: Whether there were any.
  @discardableResult
  private func removeExpired(at now: Any, _ age: ReplayAge) -> Bool {
    var removesAny = false
    while let oldest = oldestStored, age.isExpired(oldest.stamp, now) {
      lock.lock()
      let removed = replay.removeOldest(number: oldest.number)
      lock.unlock()
      removesAny = true
      releaseOutsideLock(removed)
    }
    return removesAny
  }

  private var oldestStored: (stamp: Any, number: UInt)? {
    lock.lock()
    defer { lock.unlock() }
    return replay.oldest
  }

  /// Completes the subject. Subscribers to come receive the stored values and the completion.
  public func send(completion: Subscribers.Completion<Failure>) {
    let me = currentThreadIdentity()
    let previous = enter(me)
    if self.completion == nil {
      lock.lock()
      self.completion = completion
      addArrivals()
      lock.unlock()
      for index in 0..<members.count {
        members[index]?._withUnsafeGuaranteedRef {
          let member = unsafeDowncast($0, to: ReplayMember<Output, Failure>.self)
          member.finish(member, completion)
        }
      }
      // The members are removed when the turn is left, since this may be inside a delivery to them.
      turn.markWork()
    }
    leave(me, previous)
  }

  /// Requests all values of a publisher that has been subscribed to this subject.
  public func send(subscription: any Subscription) {
    subscription.request(.unlimited)
  }

  /// Attaches a subscriber, which receives the stored values first.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    add(ReplayMemberOf(subscriber), onEnd: {})
  }

  /// Adds a subscriber, and sends it its subscription.
  ///
  /// - Parameter onEnd: Called when its stream has ended.
  @inlinable
  func add<S: Subscriber>(_ member: ReplayMemberOf<S>, onEnd: @escaping () -> Void)
  where S.Input == Output, S.Failure == Failure {
    let delivery = member.delivery
    add(member) { delivery.preload($0, $1) }
    delivery.cancelAtEnd(
      AnyCancellable { [weak self, weak member] in
        if let member { self?.remove(member) }
        onEnd()
      })
    delivery.sendSubscription()
  }

  /// Adds a subscriber, in one step with the values that it gets first.
  @usableFromInline
  func add(_ member: ReplayMember<Output, Failure>, _ preload: ([Output], Subscribers.Completion<Failure>?) -> Void) {
    if let age { removeExpired(at: age.now(), age) }
    let me = currentThreadIdentity()
    let previous = lockReplay(me)
    preload(replay.valuesForSubscriber(), completion)
    if completion == nil {
      if previous == nil { arrivals.append(member) } else { members.append(member) }
    }
    lock.unlock()
    if previous == 0 { leave(me, 0) }
  }

  /// Stores nothing from now on: there will be no new subscriber. For a subject whose values have no age.
  func stopStoring() {
    let me = currentThreadIdentity()
    let previous = lockReplay(me)
    let dropped = replay.close()
    lock.unlock()
    if previous == 0 { leave(me, 0) }
    releaseOutsideLock(dropped)
  }

  /// Removes a subscriber that has ended: immediately, or at the end of a running delivery that may reach it.
  @usableFromInline
  func remove(_ member: ReplayEntry) {
    let me = currentThreadIdentity()
    lock.lock()
    // After the completion, all are removed together.
    guard completion == nil else { return lock.unlock() }
    let previous = turn.enterOrRequestWork(me)
    if previous != 0, let index = arrivals.lastIndex(where: { $0 === member }) {
      let removed = arrivals.remove(at: index)
      lock.unlock()
      return releaseOutsideLock(removed)
    }
    departures.append(member)
    if previous == me { turn.markWork() }
    lock.unlock()
    if previous == 0 { performWorkAndLeave(me) }
  }

  /// Takes the lock, with which this thread may use `replay` also if another thread has the turn. That thread stores a
  /// value at most before this returns.
  ///
  /// - Returns: The previous owner of the turn, to be left after the lock: zero if the turn was free, this thread if it
  ///   had the turn already; `nil` if another thread has the turn.
  private func lockReplay(_ me: UInt) -> UInt? {
    lock.lock()
    let previous = turn.enterOrRequestWork(me)
    if previous == nil {
      waitBriefly { isSettled.load(ordering: .acquiring) }
    }
    return previous
  }

  // MARK: The turn

  /// Waits for the turn, to use `replay` under the lock only.
  @usableFromInline
  func enter(_ me: UInt) -> UInt {
    let previous = turn.enter(me)
    if previous == 0 { isSettled.store(true, ordering: .releasing) }
    return previous
  }

  @usableFromInline
  func leave(_ me: UInt, _ previous: UInt) {
    if previous == 0 { isSettled.store(false, ordering: .relaxed) }
    if !turn.leave(me, previous) { performWorkAndLeave(me) }
  }

  /// With the lock too: adds the subscribers that have come since the last value.
  @usableFromInline
  @inline(never)
  func addArrivals() {
    lock.assertHeld()
    for member in arrivals { members.append(member) }
    arrivals = []
  }

  /// Removes the subscribers that have ended, and leaves the turn. For the outermost call that has the turn.
  @usableFromInline
  @inline(never)
  func performWorkAndLeave(_ me: UInt) {
    repeat {
      isSettled.store(true, ordering: .releasing)
      turn.clearWork()
      var ended: ContiguousArray<ReplayEntry> = []
      lock.lock()
      addArrivals()
      swap(&ended, &departures)
      lock.unlock()
      if completion != nil { members.takeAll().deallocate() }
      for member in ended { members.remove(member)?.release() }
      isSettled.store(false, ordering: .relaxed)
    } while !turn.leave(me, 0)
  }
}

// The lock and the turn guard all mutable state.
extension ReplaySubject: @unchecked Sendable where Output: Sendable {}
