import Combine
import InterflowPrimitives

/// What runs, what waits to run, and which results wait to be delivered.
///
/// A value takes up a slot from the start of its task until its result is delivered, so a subscriber that asks for
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
    /// The value that a policy has dropped, to be released outside the lock.
    var dropped: Input?
  }

  /// What the one who delivers has to do next.
  enum Delivery {
    case rest
    case value(Output)
    case completion(Subscribers.Completion<Failure>)
  }

  private let slots: Subscribers.Demand
  private let buffering: BufferingPolicy?

  private var inputs = RingBuffer<Input>()
  /// The tasks by their number; without a handle until the one who started it has said so.
  private(set) var running: [Int: Handle?] = [:]
  private var started = 0
  private var results = RingBuffer<Output>()
  private var demand = Subscribers.Demand.none

  /// Whether the subscriber has asked for anything yet: no work begins before.
  private var isWanted = false
  /// Whether the subscriber has been told of its subscription.
  private var isOpen = false
  private(set) var isLinked = false
  private var isUpstreamDone = false
  private var isDelivering = false
  private var failure: Failure?
  private(set) var hasEnded = false

  init(slots: Subscribers.Demand, buffering: BufferingPolicy?) {
    self.slots = slots
    self.buffering = buffering
  }

  /// Whether values and results still count.
  private var isActive: Bool { !hasEnded && failure == nil }

  private var hasFreeSlot: Bool { isWanted && running.count + results.count < slots }

  // MARK: Upstream

  /// Upstream has sent its subscription.
  mutating func linked() -> Effects {
    isLinked = true
    return Effects(request: firstRequest)
  }

  /// What upstream is asked for when it and the subscriber's first demand have both come.
  private var firstRequest: Subscribers.Demand {
    guard isActive, isLinked, !isUpstreamDone else { return .none }
    return buffering == nil ? (isWanted ? slots : .none) : .unlimited
  }

  /// A value has come.
  mutating func received(_ input: Input) -> Effects {
    guard isActive, !isUpstreamDone else { return Effects() }
    if hasFreeSlot, inputs.isEmpty { return Effects(starts: [start(input)]) }
    // Without a policy, upstream has sent more than it was asked for, which must not lose the value.
    let policy = buffering ?? .unbounded
    var effects = Effects()
    if inputs.count >= policy.capacity {
      if policy.keepsOldest || inputs.isEmpty { return effects }
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

  /// Upstream has finished.
  mutating func upstreamFinished() -> Effects {
    isUpstreamDone = true
    return Effects(delivers: beginsDelivering())
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
    results.append(output)
    return Effects(delivers: beginsDelivering())
  }

  /// A task has failed, or upstream has, which ends everything else. The caller keeps the old machine until the lock is
  /// free, and cancels its `running`.
  mutating func failed(_ error: Failure) -> Effects {
    guard isActive else { return Effects() }
    failure = error
    clear()
    return Effects(delivers: beginsDelivering())
  }

  /// The subscription is cancelled. The caller keeps the old machine until the lock is free, and cancels its `running`.
  mutating func cancelled() {
    hasEnded = true
    clear()
  }

  private mutating func clear() {
    inputs.removeAll()
    results.removeAll()
    running.removeAll()
  }

  // MARK: The subscriber

  /// The subscriber has asked for more.
  mutating func requested(_ demand: Subscribers.Demand) -> Effects {
    guard !hasEnded else { return Effects() }
    self.demand += demand
    var effects = Effects()
    if !isWanted {
      isWanted = true
      if buffering == nil { effects.request = firstRequest }
      startWaiting(&effects)
    }
    effects.delivers = beginsDelivering()
    return effects
  }

  /// The subscriber's `receive(subscription:)` has returned, so that others may call it now.
  mutating func opened() -> Effects {
    isOpen = true
    return Effects(delivers: beginsDelivering())
  }

  private mutating func beginsDelivering() -> Bool {
    guard isOpen, !isDelivering else { return false }
    isDelivering = true
    return true
  }

  /// What comes next for the one who delivers, and what a delivered result makes room for.
  ///
  /// - Parameter more: What the subscriber asked for with the value before.
  mutating func nextDelivery(adding more: Subscribers.Demand, _ effects: inout Effects) -> Delivery {
    demand += more
    if hasEnded { return .rest }
    if let failure { return end(.failure(failure)) }
    if demand != .none, let output = results.popFirst() {
      demand -= 1
      if inputs.isEmpty, buffering == nil, !isUpstreamDone, slots != .unlimited { effects.request = .max(1) }
      startWaiting(&effects)
      return .value(output)
    }
    if isUpstreamDone, inputs.isEmpty, running.isEmpty, results.isEmpty { return end(.finished) }
    isDelivering = false
    return .rest
  }

  private mutating func startWaiting(_ effects: inout Effects) {
    while hasFreeSlot, let input = inputs.popFirst() { effects.starts.append(start(input)) }
  }

  private mutating func end(_ completion: Subscribers.Completion<Failure>) -> Delivery {
    hasEnded = true
    return .completion(completion)
  }
}
