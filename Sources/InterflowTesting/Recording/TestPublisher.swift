public import Combine
import InterflowPrimitives

/// A publisher that a test controls, and that records requests and cancellations.
///
/// ```swift
/// let upstream = TestPublisher<Int, Never>()
/// let subscriber = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
/// upstream.filter { $0 > 1 }.subscribe(subscriber)
///
/// upstream.send(1)
/// #expect(upstream.requests == [.max(2), .max(1)])  // The filter requests another.
/// subscriber.cancel()
/// #expect(upstream.cancellations.count == 1)
/// ```
///
/// Values are sent with or without demand, so a test can follow the rules or break them.
///
/// - Demand: Is recorded with its time, for each subscriber. Values are delivered only when the test sends them.
/// - Thread: All members may be used from any thread. Signals are sent on the caller's thread, without synchronization.
/// - Cancellation: Is recorded; a cancelled subscriber is released, unless the publisher keeps subscribers.
public final class TestPublisher<Output, Failure: Error>: Publisher {
  // Guarded by `lock`: the variables.

  private let lock = Lock()
  private var made: [TestSubscription<Output, Failure>] = []

  private let requestHook = Hook<(Subscribers.Demand) -> Void>()
  private let cancelHook = Hook<() -> Void>()
  private let timeline: TestTimeline?
  private let keepsSubscribers: Bool
  private let sendsSubscriptions: Bool

  /// Makes a publisher.
  ///
  /// - Parameters:
  ///   - timeline: The timeline whose time is recorded; without one, all times are zero.
  ///   - keepsSubscribers: Whether a subscriber is retained after its completion and cancellation, so that a test can
  ///     send it signals that the rules forbid then.
  ///   - sendsSubscriptions: Whether a subscriber receives its subscription at once; if not, the test calls
  ///     ``TestSubscription/sendSubscription()``.
  public init(on timeline: TestTimeline? = nil, keepsSubscribers: Bool = false, sendsSubscriptions: Bool = true) {
    self.timeline = timeline
    self.keepsSubscribers = keepsSubscribers
    self.sendsSubscriptions = sendsSubscriptions
  }

  // MARK: Actions of the test

  /// Sends a value to every subscriber, in the order in which they subscribed, with or without demand.
  ///
  /// - Returns: The demand that the subscribers return, added up.
  @discardableResult
  public func send(_ value: Output) -> Subscribers.Demand {
    subscriptions.reduce(.none) { $0 + $1.send(value) }
  }

  /// Sends a completion to every subscriber.
  public func send(completion: Subscribers.Completion<Failure>) {
    for subscription in subscriptions { subscription.send(completion: completion) }
  }

  /// Releases the subscribers, so that a test can check that nothing else retains them.
  public func releaseSubscribers() {
    for subscription in subscriptions { subscription.releaseSubscriber() }
  }

  /// Called with a request after it has been recorded, inside `request` and on its thread. Demand that a subscriber returns
  /// for a value is recorded without a call.
  public var onRequest: ((Subscribers.Demand) -> Void)? {
    get { requestHook.closure }
    set { requestHook.closure = newValue }
  }

  /// Called when a cancellation has been recorded, inside `cancel` and on its thread.
  public var onCancel: (() -> Void)? {
    get { cancelHook.closure }
    set { cancelHook.closure = newValue }
  }

  // MARK: Records

  /// The subscriptions, one for each subscriber, in the order in which they subscribed; ended ones too.
  public var subscriptions: [TestSubscription<Output, Failure>] {
    lock.lock()
    defer { lock.unlock() }
    return made
  }

  /// The latest subscription.
  public var subscription: TestSubscription<Output, Failure>? { subscriptions.last }

  /// The requests of all subscribers, subscriber by subscriber; see ``TestSubscription/requests``.
  public var requests: [RecordedRequest] { subscriptions.flatMap(\.requests) }

  /// The times of all subscribers' cancellations, subscriber by subscriber.
  public var cancellations: [VirtualTime] { subscriptions.flatMap(\.cancellations) }

  // MARK: Publisher

  /// Makes a subscription for a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let subscription = TestSubscription(
      subscriber, on: timeline, keepsSubscriber: keepsSubscribers, onRequest: requestHook, onCancel: cancelHook)
    lock.lock()
    made.append(subscription)
    lock.unlock()
    if sendsSubscriptions { subscription.sendSubscription() }
  }
}

// `lock` guards the variables. The closures are set by the test, which is responsible for what they do.
extension TestPublisher: @unchecked Sendable where Output: Sendable {}

extension TestPublisher: CustomStringConvertible {
  /// The name of the type.
  public var description: String { "TestPublisher" }
}
