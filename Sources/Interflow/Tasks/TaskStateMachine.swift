import Combine
import InterflowPrimitives

/// What runs, what waits to run, and which results wait to be delivered.
///
/// A value takes up a slot from the start of its task until its result is delivered, so a subscriber that requests
/// nothing holds up the tasks, and these hold up upstream.
struct TaskStateMachine<Input, Output, Failure: Error, Handle> {
  /// What the caller does once the lock is free.
  struct Effects {
    /// The values whose tasks are to be started.
    var starts: [(id: Int, input: Input)] = []
    /// What to ask upstream for.
    var request = Subscribers.Demand.none
    /// Whether to take deliveries until there is none.
    var delivers = false
    /// The tasks that nobody wants any more.
    var cancels: [Handle] = []
    /// What becomes of the subscription to upstream.
    var upstream = Upstream.stays
    /// What is to be released outside the lock: the value that a policy has dropped, or all that is left at the end.
    var dropped: Input?
    var remains: (inputs: RingBuffer<Input>, results: [Int: Output])?
    var replaced: Subscribers.Completion<Failure>?
  }

  enum Upstream {
    case stays
    case isReleased
    case isCancelled
  }

  /// What the one who delivers has to do next.
  enum Delivery {
    case rest
    case value(Output)
    case completion(Subscribers.Completion<Failure>)
  }

  private let slots: Subscribers.Demand
  private let buffering: BufferingPolicy?
  private let policy: TaskPolicy

  private var inputs = RingBuffer<Input>()
  /// The tasks by their number; without a handle until the one who started it has said so.
  private var running: [Int: Handle?] = [:]
  private var started = 0
  /// The results by their place in the stream. Where the order is kept, a place is the number of a task.
  private var results: [Int: Output] = [:]
  private var returned = 0
  private var delivered = 0
  private var demand = Subscribers.Demand.none
  /// How the stream ends, and after how many results.
  private var end: (place: Int, completion: Subscribers.Completion<Failure>)?

  /// Whether the subscriber has requested anything yet: no work begins before.
  private var isWanted = false
  /// Whether `receive(subscription:)` has returned.
  private var isOpen = false
  private(set) var isLinked = false
  /// Whether upstream has been asked without limit, as a policy allows.
  private var hasAskedForAll = false
  private var isDelivering = false
  private(set) var hasEnded = false

  init(slots: Subscribers.Demand, buffering: BufferingPolicy?, policy: TaskPolicy = .task) {
    self.slots = slots
    self.buffering = buffering
    self.policy = policy
  }

  /// Whether more values count.
  private var isActive: Bool { !hasEnded && end == nil }

  private var hasFreeSlot: Bool { isWanted && running.count + results.count < slots }

  // MARK: Upstream

  /// Upstream has sent its subscription.
  mutating func linked() -> Effects {
    isLinked = true
    return Effects(request: isWanted && isActive && buffering == nil ? slots : .none)
  }

  /// What is requested from upstream with the subscriber's first demand.
  private mutating func firstRequest() -> Subscribers.Demand {
    guard isActive, isLinked else { return .none }
    return buffering == nil ? slots : requestForAll()
  }

  /// With a policy, unlimited demand is requested once. Not before the subscriber has had its chance to ask: what comes
  /// at once would be surplus while nothing is being worked on.
  private mutating func requestForAll() -> Subscribers.Demand {
    guard buffering != nil, isActive, isLinked, !hasAskedForAll else { return .none }
    hasAskedForAll = true
    return .unlimited
  }

  /// A value has come.
  mutating func received(_ input: Input) -> Effects {
    guard isActive else { return Effects() }
    if hasFreeSlot, inputs.isEmpty { return Effects(starts: [start(input)]) }
    // Without a policy, upstream has sent more than was requested, which must not lose the value.
    let buffering = buffering ?? .unbounded
    var effects = Effects()
    if inputs.count >= buffering.capacity {
      if buffering.keepsOldest || inputs.isEmpty { return effects }
      effects.dropped = inputs.popFirst()
    }
    inputs.append(input)
    return effects
  }

  private mutating func start(_ input: Input) -> (id: Int, input: Input) {
    started += 1
    running[started] = .some(nil)
    return (started, input)
  }

  /// Upstream has completed.
  mutating func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) -> Effects {
    guard isActive else { return Effects() }
    var effects = Effects(upstream: .isReleased)
    if case .failure = completion, !policy.failureWaits {
      cut(after: delivered, completion, &effects)
    } else {
      end = (started + inputs.count, completion)
    }
    effects.delivers = beginsDelivering()
    return effects
  }

  // MARK: Tasks

  /// The task of a value has been started.
  ///
  /// - Returns: Whether it is still wanted; otherwise, it is to be cancelled.
  mutating func taskStarted(_ id: Int, _ handle: Handle) -> Bool {
    guard running[id] != nil else { return false }
    running[id] = .some(handle)
    return true
  }

  /// A task has returned.
  mutating func taskReturned(_ id: Int, _ output: Output) -> Effects {
    guard running.removeValue(forKey: id) != nil else { return Effects() }
    returned += 1
    results[policy.keepsOrder ? id : returned] = output
    return Effects(delivers: beginsDelivering())
  }

  /// A task has failed, which ends everything that comes after it.
  mutating func taskFailed(_ id: Int, _ error: Failure) -> Effects {
    guard running.removeValue(forKey: id) != nil else { return Effects() }
    var effects = Effects(upstream: .isCancelled)
    cut(after: policy.keepsOrder ? id - 1 : delivered, .failure(error), &effects)
    effects.delivers = beginsDelivering()
    return effects
  }

  /// The subscription is cancelled.
  mutating func cancelled() -> Effects {
    var effects = Effects(upstream: .isCancelled)
    hasEnded = true
    cut(after: delivered, .finished, &effects)
    return effects
  }

  /// Lets the stream end after so many results. What would come later is not worked on.
  private mutating func cut(
    after place: Int, _ completion: Subscribers.Completion<Failure>, _ effects: inout Effects
  ) {
    effects.replaced = end?.completion
    end = (place, completion)
    effects.remains = (inputs, results)
    inputs.removeAll()
    results = results.filter { $0.key <= place }
    for (id, handle) in running where !policy.keepsOrder || id > place {
      running[id] = nil
      if let handle { effects.cancels.append(handle) }
    }
  }

  // MARK: The subscriber

  /// The subscriber has requested more.
  mutating func requested(_ demand: Subscribers.Demand) -> Effects {
    guard !hasEnded else { return Effects() }
    self.demand += demand
    var effects = Effects()
    if !isWanted {
      isWanted = true
      effects.request = firstRequest()
      startWaiting(&effects)
    }
    effects.delivers = beginsDelivering()
    return effects
  }

  /// The subscriber's `receive(subscription:)` has returned, so that others may call it now.
  mutating func opened() -> Effects {
    isOpen = true
    return Effects(request: requestForAll(), delivers: beginsDelivering())
  }

  private mutating func beginsDelivering() -> Bool {
    guard isOpen, !isDelivering else { return false }
    isDelivering = true
    return true
  }

  /// What comes next for the one who delivers, and what a delivered result makes room for.
  ///
  /// - Parameter more: The demand that the subscriber returned for the previous value.
  mutating func nextDelivery(adding more: Subscribers.Demand, _ effects: inout Effects) -> Delivery {
    demand += more
    if hasEnded { return .rest }
    if let end, end.place == delivered {
      hasEnded = true
      return .completion(end.completion)
    }
    if demand != .none, let output = results.removeValue(forKey: delivered + 1) {
      delivered += 1
      demand -= 1
      if inputs.isEmpty, buffering == nil, end == nil, slots != .unlimited { effects.request = .max(1) }
      startWaiting(&effects)
      return .value(output)
    }
    isDelivering = false
    return .rest
  }

  private mutating func startWaiting(_ effects: inout Effects) {
    while hasFreeSlot, let input = inputs.popFirst() { effects.starts.append(start(input)) }
  }
}
