public import Combine
import InterflowPrimitives

/// A subscriber under a test's control, which records every signal with its virtual time.
///
/// It requests what the test says, and records every signal: also what the rules of Combine forbid, such as a value
/// without demand or a second completion.
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
/// - Demand: `initialDemand` at the subscription, `demandForEach` after each value, and what ``request(_:)`` adds.
/// - Thread: All members may be used from any thread; signals are recorded in the order in which they come.
/// - Cancellation: Cancels with ``cancel()`` or after the number of values given; not when it is deallocated.
public final class RecordingSubscriber<Input, Failure: Error>: Subscriber, Cancellable {
  // Guarded by `lock`: the variables.

  private let lock = Lock()
  private var recorded: [RecordedSignal<Input, Failure>] = []
  private var received: [any Subscription] = []
  private var valueCount = 0
  private var hook: ((RecordedSignal<Input, Failure>) -> Void)?

  private let timeline: TestTimeline?
  private let initialDemand: Subscribers.Demand
  private let cancelsAfter: Int?
  private let demandForEach: (Input) -> Subscribers.Demand

  /// Makes a subscriber.
  ///
  /// - Parameters:
  ///   - timeline: Gives the signals their time; without, all are recorded as of the beginning.
  ///   - initialDemand: What to ask for as soon as there is a subscription; nothing, if it is `.none`.
  ///   - cancelsAfter: Cancels while it receives the value that is so manieth; with 0, while it receives the
  ///     subscription.
  ///   - demandForEach: What to ask for when a value has come.
  public init(
    on timeline: TestTimeline? = nil, initialDemand: Subscribers.Demand = .unlimited, cancelsAfter: Int? = nil,
    demandForEach: @escaping (Input) -> Subscribers.Demand = { _ in .none }
  ) {
    self.timeline = timeline
    self.initialDemand = initialDemand
    self.cancelsAfter = cancelsAfter
    self.demandForEach = demandForEach
  }

  // MARK: What the test does

  /// Asks upstream for values; a mistake if there is no subscription yet.
  public func request(_ demand: Subscribers.Demand) {
    guard let subscription else {
      preconditionFailure("request(\(demand)): the subscriber has not received a subscription")
    }
    subscription.request(demand)
  }

  /// Cancels the latest subscription, if there is one.
  public func cancel() { subscription?.cancel() }

  /// Lets go of the subscriptions, so that a test can see who else holds them.
  public func releaseSubscriptions() {
    lock.lock()
    let released = received
    received = []
    lock.unlock()
    withExtendedLifetime(released) {}
  }

  /// What else to do while a signal is received, after it has been recorded: for calls from inside `receive`.
  public var onSignal: ((RecordedSignal<Input, Failure>) -> Void)? {
    get {
      lock.lock()
      defer { lock.unlock() }
      return hook
    }
    set {
      lock.lock()
      let last = hook
      hook = newValue
      lock.unlock()
      withExtendedLifetime(last) {}
    }
  }

  // MARK: What was recorded

  /// Everything received, in the order in which it came.
  public var signals: [RecordedSignal<Input, Failure>] {
    lock.lock()
    defer { lock.unlock() }
    return recorded
  }

  /// The values received.
  public var values: [Input] { signals.compactMap(\.value) }

  /// How the stream ended first; nil while it has not.
  public var completion: Subscribers.Completion<Failure>? { signals.lazy.compactMap(\.completion).first }

  /// The subscriptions received: one, if upstream keeps the rules.
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

  /// Forgets the signals recorded so far.
  public func removeSignals() {
    lock.lock()
    let removed = recorded
    recorded = []
    lock.unlock()
    withExtendedLifetime(removed) {}
  }

  // MARK: Subscriber

  /// Records a subscription, and asks it for the initial demand.
  public func receive(subscription: any Subscription) {
    record(.subscription, subscription: subscription)
    if cancelsAfter == 0 {
      subscription.cancel()
    } else if initialDemand != .none {
      subscription.request(initialDemand)
    }
  }

  /// Records a value, and returns the demand that the test said.
  public func receive(_ input: Input) -> Subscribers.Demand {
    if record(.value(input)) == cancelsAfter { cancel() }
    return demandForEach(input)
  }

  /// Records the end of the stream.
  public func receive(completion: Subscribers.Completion<Failure>) {
    record(RecordedSignal.Kind(completion))
  }

  /// - Returns: How many values have come.
  @discardableResult
  private func record(
    _ kind: RecordedSignal<Input, Failure>.Kind, subscription: (any Subscription)? = nil
  ) -> Int {
    let signal = RecordedSignal(kind, at: timeline?.now ?? .zero)
    lock.lock()
    recorded.append(signal)
    if let subscription { received.append(subscription) }
    if case .value = kind { valueCount += 1 }
    let (count, hook) = (valueCount, hook)
    lock.unlock()
    hook?(signal)
    return count
  }
}

// `lock` guards the variables. The closures are the test's, which gives them before signals come.
extension RecordingSubscriber: @unchecked Sendable where Input: Sendable {}

extension RecordingSubscriber: CustomStringConvertible {
  /// How much was received.
  public var description: String { "RecordingSubscriber(\(signals.count) signals)" }
}
