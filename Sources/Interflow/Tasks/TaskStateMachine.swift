import Combine
import InterflowPrimitives

/// The state of a ``TaskStorage``: the values to run the closure for, the number of workers that will take them, and
/// the results to deliver.
///
/// A value takes a free slot when it arrives, and its slot becomes free when its result is delivered. So if the
/// subscriber requests nothing, no more closures are started, and then nothing more is requested from upstream. Values
/// with a slot are in `ready` until a worker takes them. Values without a slot are in `surplus`.
///
/// Three parts go through phases of their own: what is requested from upstream (``UpstreamPhase``), the subscriber (the
/// phase of its demand, and whether it is being called), and the end (``Ending``). ``TaskWorkerCount`` says when a
/// worker must be started.
@frozen
@usableFromInline
struct TaskStateMachine<Input, Output, Failure: Error> {
  /// A value that has a slot, and the executor on which its closure must run; `nil` for the default one.
  @frozen
  @usableFromInline
  struct Ready {
    @usableFromInline let input: Input
    @usableFromInline let executor: (any TaskExecutor)?

    @inlinable
    init(_ input: Input, _ executor: (any TaskExecutor)?) {
      self.input = input
      self.executor = executor
    }
  }

  /// What has been requested from upstream at the beginning.
  @frozen
  @usableFromInline
  enum UpstreamPhase {
    /// Upstream has not sent its subscription.
    case awaitingSubscription
    /// Nothing has been requested yet: without a policy, the subscriber must request something first; with one, it must
    /// have had the opportunity.
    case linked
    /// A value for each slot has been requested, or unlimited demand if there is a policy.
    case requested
  }

  /// How the stream ends, and after how many results.
  @frozen
  @usableFromInline
  struct Ending {
    /// `Int.max` if neither upstream nor a closure has ended the stream.
    @usableFromInline fileprivate(set) var place = Int.max
    fileprivate(set) var completion: Subscribers.Completion<Failure>?
    /// How many threads are cancelling tasks or upstream because of a failure, which is delivered afterwards.
    @usableFromInline fileprivate(set) var cancellations = 0

    @usableFromInline
    init() {}
  }

  /// State that is not needed any more. The caller releases it outside the lock.
  @usableFromInline
  struct Discarded {
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
  /// The place of a result is the number of its value if the order is kept; otherwise, places are given to results in
  /// the order in which closures return.
  @usableFromInline var results = PlacedResults<Output>()
  /// How many slots are taken.
  @usableFromInline var occupied = 0
  /// How many values workers have taken. Values are numbered from 1, in the order in which they are taken.
  @usableFromInline private(set) var taken = 0
  @usableFromInline var returned = 0
  @usableFromInline private(set) var delivered = 0
  /// How many values are still to be requested from upstream, for slots that have become free.
  @usableFromInline var unrequested = 0
  /// The results that have been requested and not delivered. Its phase is that of the subscriber: until
  /// `receive(subscription:)` has returned nothing else is delivered, and nothing after a cancellation or a completion.
  @usableFromInline private(set) var demand: DeliveryDemand
  /// Whether the subscriber has made its first request: no closure runs before.
  @usableFromInline private(set) var hasBegun = false
  /// Whether a thread is calling the subscriber with a result.
  @usableFromInline private(set) var isDelivering = false

  @usableFromInline private(set) var upstreamPhase = UpstreamPhase.awaitingSubscription
  @usableFromInline private(set) var ending = Ending()
  @usableFromInline var workers = TaskWorkerCount()

  /// - Parameter isOpen: Whether the completion may be delivered before the subscriber has received a subscription.
  @inlinable
  init(
    slots: Subscribers.Demand, buffering: BufferingPolicy?, policy: TaskPolicy = .task, isOpen: Bool = false
  ) {
    self.slots = slots.max ?? .max
    self.buffering = buffering
    self.policy = policy
    demand = DeliveryDemand(isOpen ? .open : .awaitingSubscription)
  }

  /// Whether the stream was cancelled, or the completion has been taken.
  @inlinable var hasEnded: Bool { demand.isOver }

  /// Whether upstream has sent its subscription.
  @inlinable var isLinked: Bool { upstreamPhase != .awaitingSubscription }

  /// Whether values that arrive are accepted.
  @inlinable var isActive: Bool { !hasEnded && ending.place == .max }

  /// Whether a worker must be started, since no other will soon take all values that are ready.
  @inlinable var needsWorker: Bool { workers.isNeeded(for: ready.count) }

  /// Whether there is anything that a worker could do now.
  @inlinable var hasWork: Bool { !ready.isEmpty || unrequested > 0 || isDeliverable || isEndDue }
}

// MARK: - Upstream

extension TaskStateMachine {
  /// Upstream has sent its subscription.
  ///
  /// - Returns: What to request.
  mutating func linked() -> Subscribers.Demand {
    upstreamPhase = .linked
    // With a policy, nothing is requested before the subscriber could make its first request. Values that arrive before
    // that are surplus, and the policy may drop them although no closure is running.
    return hasBegun && buffering == nil ? takeFirstRequest() : .none
  }

  /// What is requested from upstream at the beginning: a value for each slot, or unlimited demand if there is a policy.
  /// None if it has been requested, or there is no subscription yet.
  private mutating func takeFirstRequest() -> Subscribers.Demand {
    guard upstreamPhase == .linked, isActive else { return .none }
    upstreamPhase = .requested
    return buffering != nil || slots == .max ? .unlimited : .max(slots)
  }

  /// A value has arrived.
  ///
  /// - Parameter dropped: Set to the value that the policy drops for this one. The caller releases it outside the lock.
  @inlinable
  mutating func received(_ input: Input, executor: (any TaskExecutor)?, dropped: inout Input?) {
    guard isActive else { return }
    if hasBegun, occupied < slots, surplus.isEmpty {
      occupied &+= 1
      ready.append(Ready(input, executor))
      return
    }
    // Without a policy, upstream has sent more than was requested. The value must not be lost.
    let buffering = buffering ?? .unbounded
    if surplus.count >= buffering.capacity {
      if buffering.keepsOldest || surplus.isEmpty { return }
      dropped = surplus.popFirst()
    }
    surplus.append(input)
  }

  /// Upstream has completed.
  ///
  /// - Returns: Whether the caller cancels the tasks whose closures run.
  mutating func upstreamCompleted(_ completion: Subscribers.Completion<Failure>, _ discarded: inout Discarded) -> Bool {
    guard isActive else { return false }
    if case .failure = completion, !policy.failureWaits {
      endStream(after: delivered, completion, &discarded)
      ending.cancellations += 1
      return true
    }
    ending.place = taken + ready.count + surplus.count
    ending.completion = completion
    return false
  }

  /// A call of upstream's `request` begins.
  ///
  /// - Returns: How many values the caller requests.
  @inlinable
  mutating func beginRequest(byWorker: Bool) -> Int {
    defer { unrequested = 0 }
    workers.beginRequest(byWorker: byWorker)
    return unrequested
  }

  /// The caller has cancelled what had to be cancelled because of a failure.
  mutating func didCancel() {
    ending.cancellations -= 1
  }

  /// Ends the stream after a number of results. Everything that would be delivered after them is discarded.
  private mutating func endStream(
    after place: Int, _ completion: Subscribers.Completion<Failure>, _ discarded: inout Discarded
  ) {
    discarded.completion = ending.completion
    ending.place = place
    ending.completion = completion
    swap(&discarded.ready, &ready)
    swap(&discarded.surplus, &surplus)
    discarded.results = results.takeAll(after: place)
    unrequested = 0
  }

  /// The subscription was cancelled.
  mutating func cancelled(_ discarded: inout Discarded) {
    guard !hasEnded else { return }
    demand.phase = .over
    endStream(after: delivered, .finished, &discarded)
    ending.completion = nil
  }
}

// MARK: - Workers

extension TaskStateMachine {
  /// Takes the next value, whose number is then `taken`; `nil` if no value is ready, or the next one must run on
  /// another executor.
  @inlinable
  mutating func take(on executor: (any TaskExecutor)?) -> Input? {
    guard let next = ready.first, next.executor === executor else { return nil }
    _ = ready.popFirst()
    taken &+= 1
    return next.input
  }

  /// A closure has returned. Its result is ignored if the stream ends before it.
  @inlinable
  mutating func returned(_ number: Int, _ output: inout Output?) {
    let place = policy.keepsOrder ? number : returned &+ 1
    guard !hasEnded, place <= ending.place else { return }
    returned &+= 1
    if policy.ignoresResults {
      delivered &+= 1
      results.skipFirst()
      releaseSlot(ExecutorPreference.current)
    } else {
      results.put(output.take().unsafelyUnwrapped, at: place)
    }
  }

  /// A closure has failed. The stream ends with the failure, after the results that precede it.
  ///
  /// - Returns: The number after which the caller cancels closures; `nil` if the failure is ignored, because the stream
  ///   ends before it.
  mutating func failed(_ number: Int, _ error: Failure, _ discarded: inout Discarded) -> Int? {
    let place = policy.keepsOrder ? number : delivered + 1
    guard !hasEnded, place <= ending.place else { return nil }
    endStream(after: place - 1, .failure(error), &discarded)
    ending.cancellations += 1
    return policy.keepsOrder ? number : 0
  }

  /// A slot has become free. The oldest surplus value takes it; otherwise, one more value is to be requested.
  @inlinable
  mutating func releaseSlot(_ executor: @autoclosure () -> (any TaskExecutor)?) {
    occupied &-= 1
    if let input = surplus.popFirst() {
      occupied &+= 1
      ready.append(Ready(input, executor()))
    } else if buffering == nil, ending.place == .max, slots != .max {
      unrequested &+= 1
    }
  }
}

// MARK: - The subscriber

extension TaskStateMachine {
  /// The subscriber has requested more.
  ///
  /// - Returns: What to request from upstream: not `none` only for the first request.
  @inlinable
  mutating func requested(_ more: Int, executor: (any TaskExecutor)?) -> Subscribers.Demand {
    guard !hasEnded else { return .none }
    add(more)
    return hasBegun ? .none : begin(executor)
  }

  @usableFromInline
  mutating func begin(_ executor: (any TaskExecutor)?) -> Subscribers.Demand {
    hasBegun = true
    let request = takeFirstRequest()
    while occupied < slots, let input = surplus.popFirst() {
      occupied += 1
      ready.append(Ready(input, executor))
    }
    return request
  }

  /// - Parameter more: How many more; `Int.max` means no limit.
  @inlinable
  mutating func add(_ more: Int) {
    demand.add(UInt(bitPattern: more))
  }

  /// The subscriber's `receive(subscription:)` has returned, so other signals may be delivered.
  ///
  /// - Returns: What to request from upstream.
  mutating func opened() -> Subscribers.Demand {
    if !hasEnded { demand.phase = .open }
    return buffering == nil ? .none : takeFirstRequest()
  }

  /// Whether a result can be delivered now.
  @inlinable var isDeliverable: Bool {
    demand.allowsElement && !isDelivering && results.isReady
  }

  /// Whether the completion can be delivered now: all results have been delivered.
  @inlinable var isEndDue: Bool {
    ending.place == delivered && demand.isOpen && !isDelivering && ending.cancellations == 0
  }

  /// Takes the next result, if one can be delivered. Until ``endDelivery(adding:)``, only the caller calls the
  /// subscriber.
  @inlinable
  mutating func beginDelivery() -> Output? {
    guard demand.allowsElement, !isDelivering, let output = results.takeFirst() else { return nil }
    delivered &+= 1
    demand.spend()
    isDelivering = true
    releaseSlot(ExecutorPreference.current)
    return output
  }

  /// The subscriber has received a result, and has returned more demand.
  @inlinable
  mutating func endDelivery(adding more: Int) {
    isDelivering = false
    if more != 0 { add(more) }
  }

  /// Takes the completion, which the caller delivers.
  mutating func takeEnd() -> Subscribers.Completion<Failure>? {
    demand.phase = .over
    return ending.completion.take()
  }
}
