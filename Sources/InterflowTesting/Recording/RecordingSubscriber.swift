public import Combine
import InterflowPrimitives

/// A subscriber that a test controls, and that records every signal with its virtual time.
///
/// It records also signals that the rules of Combine forbid, such as a value without demand or a second completion.
///
/// ```swift
/// let subscriber = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
/// (1...3).publisher.subscribe(subscriber)
/// #expect(subscriber.values == [1])
///
/// subscriber.request(.max(2))
/// #expect(subscriber.values == [1, 2, 3])
/// #expect(subscriber.completion == .finished)
/// ```
///
/// - Demand: Requests `initialDemand` at the subscription, returns `demandForEach` for each value, and requests more
///   with ``request(_:)``.
/// - Thread: All members may be used from any thread; signals are recorded in the order in which they are received.
/// - Cancellation: Cancels with ``cancel()`` or after a given number of values; not when it is deallocated.
public final class RecordingSubscriber<Input, Failure: Error>: Subscriber, Cancellable {
  // Guarded by `lock`: the variables.

  private let lock = Lock()
  private var recorded: [RecordedSignal<Input, Failure>] = []
  private var received: [any Subscription] = []
  private var valueCount = 0
  private var firstCompletion: Subscribers.Completion<Failure>?

  private let subscriptionHook = Hook<(any Subscription) -> Void>()
  private let valueHook = Hook<(Input) -> Void>()
  private let completionHook = Hook<(Subscribers.Completion<Failure>) -> Void>()

  private let timeline: TestTimeline?
  private let initialDemand: Subscribers.Demand
  private let cancelsAfter: Int?
  private let demandForEach: (Input) -> Subscribers.Demand

  /// Makes a subscriber.
  ///
  /// - Parameters:
  ///   - timeline: The timeline whose time is recorded; without one, all times are zero.
  ///   - initialDemand: The demand to request when the subscription is received; with `.none`, nothing is requested.
  ///   - cancelsAfter: The number of the value during which to cancel; with 0, while the subscription is received.
  ///   - demandForEach: The demand to return for a value.
  public init(
    on timeline: TestTimeline? = nil, initialDemand: Subscribers.Demand = .unlimited, cancelsAfter: Int? = nil,
    demandForEach: @escaping (Input) -> Subscribers.Demand = { _ in .none }
  ) {
    self.timeline = timeline
    self.initialDemand = initialDemand
    self.cancelsAfter = cancelsAfter
    self.demandForEach = demandForEach
  }

  // MARK: Actions of the test

  /// Requests values from upstream. Traps if there is no subscription yet.
  public func request(_ demand: Subscribers.Demand) {
    guard let subscription else {
      preconditionFailure("request(\(demand)): the subscriber has not received a subscription")
    }
    subscription.request(demand)
  }

  /// Cancels the latest subscription, if there is one.
  public func cancel() { subscription?.cancel() }

  /// Releases the subscriptions, so that a test can check that nothing else retains them.
  public func releaseSubscriptions() {
    lock.lock()
    let released = received
    received = []
    lock.unlock()
    releaseOutsideLock(released)
  }

  /// Called with a subscription after it has been recorded, inside `receive` and on its thread, and before demand is
  /// requested.
  public var onSubscription: ((any Subscription) -> Void)? {
    get { subscriptionHook.closure }
    set { subscriptionHook.closure = newValue }
  }

  /// Called with a value after it has been recorded, inside `receive` and on its thread.
  public var onValue: ((Input) -> Void)? {
    get { valueHook.closure }
    set { valueHook.closure = newValue }
  }

  /// Called with a completion after it has been recorded, inside `receive` and on its thread.
  public var onCompletion: ((Subscribers.Completion<Failure>) -> Void)? {
    get { completionHook.closure }
    set { completionHook.closure = newValue }
  }

  // MARK: Records

  /// The signals received, in order.
  public var signals: [RecordedSignal<Input, Failure>] {
    lock.lock()
    defer { lock.unlock() }
    return recorded
  }

  /// The values received.
  public var values: [Input] { signals.compactMap(\.value) }

  /// The first completion received; `nil` if there is none.
  public var completion: Subscribers.Completion<Failure>? {
    lock.lock()
    defer { lock.unlock() }
    return firstCompletion
  }

  /// The values and the completion as text, in order: for values that cannot be compared, such as tuples. A value or an
  /// error whose text is `finished` looks like the end.
  ///
  /// ```swift
  /// let subscriber = RecordingSubscriber<(Int, String), Never>()
  /// [1, 2].publisher.zip(["a", "b"].publisher).subscribe(subscriber)
  /// #expect(subscriber.log == [#"(1, "a")"#, #"(2, "b")"#, "finished"])
  /// ```
  public var log: [String] {
    signals.compactMap {
      switch $0.kind {
      case .subscription: nil
      case .value(let value): "\(value)"
      case .finished: "finished"
      case .failure(let error): "\(error)"
      }
    }
  }

  /// The subscriptions received: one, if upstream follows the rules.
  public var subscriptions: [any Subscription] {
    lock.lock()
    defer { lock.unlock() }
    return received
  }

  /// The latest subscription received.
  public var subscription: (any Subscription)? {
    lock.lock()
    defer { lock.unlock() }
    return received.last
  }

  /// Removes the signals recorded so far.
  public func removeSignals() {
    lock.lock()
    let removed = (recorded, firstCompletion)
    (recorded, firstCompletion) = ([], nil)
    lock.unlock()
    releaseOutsideLock(removed)
  }

  // MARK: Subscriber

  /// Records a subscription, and requests the initial demand.
  public func receive(subscription: any Subscription) {
    let signal = RecordedSignal<Input, Failure>(.subscription, at: now)
    lock.lock()
    recorded.append(signal)
    received.append(subscription)
    lock.unlock()
    onSubscription?(subscription)
    if cancelsAfter == 0 {
      subscription.cancel()
    } else if initialDemand != .none {
      subscription.request(initialDemand)
    }
  }

  /// Records a value, and returns the demand for it.
  public func receive(_ input: Input) -> Subscribers.Demand {
    let signal = RecordedSignal<Input, Failure>(.value(input), at: now)
    lock.lock()
    recorded.append(signal)
    valueCount += 1
    let count = valueCount
    lock.unlock()
    onValue?(input)
    if count == cancelsAfter { cancel() }
    return demandForEach(input)
  }

  /// Records a completion.
  public func receive(completion: Subscribers.Completion<Failure>) {
    let signal = RecordedSignal<Input, Failure>(.init(completion), at: now)
    lock.lock()
    recorded.append(signal)
    if firstCompletion == nil { firstCompletion = completion }
    lock.unlock()
    onCompletion?(completion)
  }

  private var now: VirtualTime { timeline?.now ?? .zero }
}

// `lock` guards the variables. The closures are set by the test, which is responsible for what they do.
extension RecordingSubscriber: @unchecked Sendable where Input: Sendable {}

extension RecordingSubscriber: CustomStringConvertible {
  /// The number of signals received.
  public var description: String { "RecordingSubscriber(\(signals.count) signals)" }
}
