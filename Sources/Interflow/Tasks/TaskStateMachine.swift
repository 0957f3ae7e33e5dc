import Combine
import InterflowPrimitives

/// What runs, what waits to run, and which results wait to be delivered.
///
/// A value takes up a slot from its arrival, where one is free, until its result is delivered; so a subscriber that
/// requests nothing holds up the closures, and these hold up upstream. Values with a slot wait in `ready` for a worker;
/// values without one are surplus.
///
/// Workers are counted, not known: `seekers` are those that were started and have not looked for a value yet, `lookers`
/// those that will look as soon as a call which takes no time returns, and so will a worker that alone is inside
/// upstream's `request`. Another is started only where more values are ready than these find.
@frozen
@usableFromInline
struct TaskStateMachine<Input, Output, Failure: Error> {
  /// A value that has a slot, and where its closure has to run.
  @frozen
  @usableFromInline
  struct Ready {
    @usableFromInline let input: Input
    @usableFromInline let home: (any TaskExecutor)?

    @inlinable
    init(_ input: Input, _ home: (any TaskExecutor)?) {
      self.input = input
      self.home = home
    }
  }

  /// What is to be released when the lock is free.
  @usableFromInline
  struct Remains {
    var ready = RingBuffer<Ready>()
    var surplus = RingBuffer<Input>()
    var results: ContiguousArray<Output?> = []
    var completion: Subscribers.Completion<Failure>?

    @usableFromInline
    init() {}
  }

  @usableFromInline let slots: Int
  @usableFromInline let buffering: BufferingPolicy?
  @usableFromInline let policy: TaskPolicy

  @usableFromInline var ready = RingBuffer<Ready>()
  @usableFromInline var surplus = RingBuffer<Input>()
  /// Where the order is kept, a place is the number of a value; otherwise results are placed as they come.
  @usableFromInline var results = PlacedResults<Output>()
  /// How many slots are taken.
  @usableFromInline var occupied = 0
  /// How many values workers have taken. The number of a value is that of the values taken up to it.
  @usableFromInline private(set) var taken = 0
  @usableFromInline var returned = 0
  @usableFromInline private(set) var delivered = 0
  /// `Int.max` stands for no limit.
  @usableFromInline private(set) var demand = 0
  /// What is to be requested from upstream, for slots that have become free.
  @usableFromInline var owed = 0
  /// After how many results the stream ends; `Int.max` where it goes on.
  @usableFromInline private(set) var end = Int.max
  private(set) var completion: Subscribers.Completion<Failure>?

  @usableFromInline var seekers = 0
  @usableFromInline var lookers = 0
  /// How many calls of upstream's `request` have not returned.
  @usableFromInline private(set) var requests = 0
  /// Whether the only one of them is a worker's, which takes the value that it brings.
  @usableFromInline private(set) var requesterLooks = false

  /// How many are about to cancel closures or upstream because of a failure, which is delivered after that.
  @usableFromInline private(set) var cancellations = 0

  /// Whether the subscriber has requested anything yet: no work begins before.
  @usableFromInline private(set) var isWanted = false
  /// Whether `receive(subscription:)` has returned.
  @usableFromInline private(set) var isOpen: Bool
  @usableFromInline private(set) var isLinked = false
  /// Whether upstream has been asked without limit, as a policy allows.
  private var hasAskedForAll = false
  @usableFromInline private(set) var isDelivering = false
  @usableFromInline private(set) var hasEnded = false

  /// - Parameter isOpen: Whether the subscriber takes a completion also without a subscription.
  @inlinable
  init(
    slots: Subscribers.Demand, buffering: BufferingPolicy?, policy: TaskPolicy = .task, isOpen: Bool = false
  ) {
    self.slots = slots.max ?? .max
    self.buffering = buffering
    self.policy = policy
    self.isOpen = isOpen
  }

  /// Whether more values count.
  @inlinable var isActive: Bool { !hasEnded && end == .max }

  /// Whether a worker is missing that takes a value which is ready.
  @inlinable var needsWorker: Bool {
    seekers == 0 && ready.count > lookers &+ (requesterLooks ? 1 : 0)
  }

  /// Whether a worker would find anything to do.
  @inlinable var hasWork: Bool { !ready.isEmpty || owed > 0 || isDeliverable || isEndDue }
}

// MARK: - Upstream

extension TaskStateMachine {
  /// Upstream has sent its subscription.
  ///
  /// - Returns: What to request.
  mutating func linked() -> Subscribers.Demand {
    isLinked = true
    return isWanted && isActive && buffering == nil ? slotDemand : .none
  }

  private var slotDemand: Subscribers.Demand { slots == .max ? .unlimited : .max(slots) }

  /// With a policy, unlimited demand is requested once. Not before the subscriber has had its chance to ask: what comes
  /// at once would be surplus while nothing is being worked on.
  private mutating func requestForAll() -> Subscribers.Demand {
    guard buffering != nil, isActive, isLinked, !hasAskedForAll else { return .none }
    hasAskedForAll = true
    return .unlimited
  }

  /// A value has come.
  ///
  /// - Parameter dropped: Gets the value that a policy drops for this one, to be released when the lock is free.
  @inlinable
  mutating func received(_ input: Input, home: (any TaskExecutor)?, dropped: inout Input?) {
    guard isActive else { return }
    if isWanted, occupied < slots, surplus.isEmpty {
      occupied &+= 1
      ready.append(Ready(input, home))
      return
    }
    // Without a policy, upstream has sent more than was requested, which must not lose the value.
    let buffering = buffering ?? .unbounded
    if surplus.count >= buffering.capacity {
      if buffering.keepsOldest || surplus.isEmpty { return }
      dropped = surplus.popFirst()
    }
    surplus.append(input)
  }

  /// Upstream has completed.
  ///
  /// - Returns: Whether that ends the closures which run.
  mutating func upstreamCompleted(_ completion: Subscribers.Completion<Failure>, _ remains: inout Remains) -> Bool {
    guard isActive else { return false }
    if case .failure = completion, !policy.failureWaits {
      cut(after: delivered, completion, &remains)
      cancellations += 1
      return true
    }
    end = taken + ready.count + surplus.count
    self.completion = completion
    return false
  }

  /// Upstream's `request` is called for all that is owed.
  ///
  /// A request that is made inside another one's call may be met by that, which then does not return after its own
  /// value: so its caller does not count as somebody who looks.
  @inlinable
  mutating func beginRequest(byWorker: Bool) -> Int {
    defer { owed = 0 }
    requests &+= 1
    requesterLooks = byWorker && requests == 1
    return owed
  }

  @inlinable
  mutating func endRequest() {
    requests &-= 1
    requesterLooks = false
  }

  /// What a failure cancels has been cancelled.
  mutating func didCancel() {
    cancellations -= 1
  }

  /// Lets the stream end after so many results. What would come later is not worked on.
  private mutating func cut(
    after place: Int, _ completion: Subscribers.Completion<Failure>, _ remains: inout Remains
  ) {
    remains.completion = self.completion
    end = place
    self.completion = completion
    swap(&remains.ready, &ready)
    swap(&remains.surplus, &surplus)
    remains.results = results.takeAll(after: place)
    owed = 0
  }

  /// The subscription is cancelled.
  mutating func cancelled(_ remains: inout Remains) {
    guard !hasEnded else { return }
    hasEnded = true
    cut(after: delivered, .finished, &remains)
    completion = nil
  }
}

// MARK: - Workers

extension TaskStateMachine {
  /// The next value for a worker, whose number is `taken` then; nil where none is ready that has to run there.
  @inlinable
  mutating func take(at home: (any TaskExecutor)?) -> Input? {
    guard let next = ready.first, next.home === home else { return nil }
    _ = ready.popFirst()
    taken &+= 1
    return next.input
  }

  /// A closure has returned. Keeps its result, if it is still wanted.
  @inlinable
  mutating func returned(_ number: Int, _ output: inout Output?) {
    let place = policy.keepsOrder ? number : returned &+ 1
    guard !hasEnded, place <= end else { return }
    returned &+= 1
    if policy.ignoresResults {
      delivered &+= 1
      results.skipFirst()
      releaseSlot(TaskHome.current)
    } else {
      results.put(output.take().unsafelyUnwrapped, at: place)
    }
  }

  /// A closure has failed, which ends everything that comes after it.
  ///
  /// - Returns: After which number closures are to be cancelled; nil where the failure comes too late to count.
  mutating func failed(_ number: Int, _ error: Failure, _ remains: inout Remains) -> Int? {
    let place = policy.keepsOrder ? number : delivered + 1
    guard !hasEnded, place <= end else { return nil }
    cut(after: place - 1, .failure(error), &remains)
    cancellations += 1
    return policy.keepsOrder ? number : 0
  }

  /// A slot has become free: for a value that is here, or for one more from upstream.
  @inlinable
  mutating func releaseSlot(_ home: @autoclosure () -> (any TaskExecutor)?) {
    occupied &-= 1
    if let input = surplus.popFirst() {
      occupied &+= 1
      ready.append(Ready(input, home()))
    } else if buffering == nil, end == .max, slots != .max {
      owed &+= 1
    }
  }
}

// MARK: - The subscriber

extension TaskStateMachine {
  /// The subscriber has requested more.
  ///
  /// - Returns: What to request from upstream, with the first demand.
  @inlinable
  mutating func requested(_ more: Int, home: (any TaskExecutor)?) -> Subscribers.Demand {
    guard !hasEnded else { return .none }
    add(more)
    return isWanted ? .none : wanted(home)
  }

  @usableFromInline
  mutating func wanted(_ home: (any TaskExecutor)?) -> Subscribers.Demand {
    isWanted = true
    let request = isActive && isLinked && buffering == nil ? slotDemand : requestForAll()
    while occupied < slots, let input = surplus.popFirst() {
      occupied += 1
      ready.append(Ready(input, home))
    }
    return request
  }

  @inlinable
  mutating func add(_ more: Int) {
    let (sum, overflows) = demand.addingReportingOverflow(more)
    demand = overflows ? .max : sum
  }

  /// The subscriber's `receive(subscription:)` has returned, so that others may call it now.
  ///
  /// - Returns: What to request from upstream.
  mutating func opened() -> Subscribers.Demand {
    isOpen = true
    return requestForAll()
  }

  /// Whether there is a result that the subscriber has requested.
  @inlinable var isDeliverable: Bool {
    isOpen && !isDelivering && demand > 0 && results.isReady && !hasEnded
  }

  /// Whether all results have been delivered, so that the completion is next.
  @inlinable var isEndDue: Bool {
    end == delivered && isOpen && !isDelivering && !hasEnded && cancellations == 0
  }

  /// The next result for the subscriber, and with that the right to call it, until ``delivered(adding:)``.
  @inlinable
  mutating func beginDelivery() -> Output? {
    guard isOpen, !isDelivering, !hasEnded, demand > 0, let output = results.takeFirst() else { return nil }
    delivered &+= 1
    if demand != .max { demand &-= 1 }
    isDelivering = true
    releaseSlot(TaskHome.current)
    return output
  }

  /// The subscriber has taken a result, and has returned more demand.
  @inlinable
  mutating func endDelivery(adding more: Int) {
    isDelivering = false
    if more != 0 { add(more) }
  }

  /// The completion, which is next.
  mutating func takeEnd() -> Subscribers.Completion<Failure>? {
    hasEnded = true
    return completion.take()
  }
}
