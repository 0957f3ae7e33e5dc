public import Combine
import InterflowPrimitives

/// A subscription that records the requests of its subscriber, and with which a test sends signals to it.
///
/// ``TestPublisher`` makes one for each subscriber.
///
/// - Thread: All members may be used from any thread. Signals are sent on the caller's thread, without synchronization:
///   the rules forbid sending from two threads at once, but a test may do so.
/// - Cancellation: Releases the subscriber, unless its publisher keeps subscribers.
public final class TestSubscription<Output, Failure: Error>: Subscription, @unchecked Sendable {
  // `lock` guards the variables. A subscription may be used from any thread by its contract; the test is responsible
  // for the values that it sends.

  private let lock = Lock()
  private var attached: (any Subscriber<Output, Failure>)?
  private var recordedRequests: [RecordedRequest] = []
  private var recordedCancellations: [VirtualTime] = []
  private var sent = 0

  private let timeline: TestTimeline?
  private let keepsSubscriber: Bool
  private let onRequest: Hook<(Subscribers.Demand) -> Void>
  private let onCancel: Hook<() -> Void>

  init(
    _ subscriber: any Subscriber<Output, Failure>, on timeline: TestTimeline?, keepsSubscriber: Bool,
    onRequest: Hook<(Subscribers.Demand) -> Void>, onCancel: Hook<() -> Void>
  ) {
    attached = subscriber
    self.timeline = timeline
    self.keepsSubscriber = keepsSubscriber
    self.onRequest = onRequest
    self.onCancel = onCancel
  }

  // MARK: Actions of the test

  /// Sends this subscription to the subscriber.
  public func sendSubscription() { subscriber?.receive(subscription: self) }

  /// Sends a value, with or without demand.
  ///
  /// - Returns: The demand that the subscriber returns, which is recorded too.
  @discardableResult
  public func send(_ value: Output) -> Subscribers.Demand {
    lock.lock()
    let subscriber = attached
    if subscriber != nil { sent += 1 }
    lock.unlock()
    guard let subscriber else { return .none }
    let demand = subscriber.receive(value)
    if demand != .none { record(demand) }
    return demand
  }

  /// Sends a completion, and releases the subscriber unless the publisher keeps subscribers.
  public func send(completion: Subscribers.Completion<Failure>) {
    let subscriber = keepsSubscriber ? subscriber : take()
    subscriber?.receive(completion: completion)
  }

  /// Releases the subscriber, so that a test can check that nothing else retains it.
  public func releaseSubscriber() { _ = take() }

  // MARK: Records

  /// The requests, in order: by calls of `request`, and by demand that was returned for values.
  public var requests: [RecordedRequest] {
    lock.lock()
    defer { lock.unlock() }
    return recordedRequests
  }

  /// The sum of all requests.
  public var requested: Subscribers.Demand { requests.reduce(.none) { $0 + $1.demand } }

  /// The requested demand minus the values sent.
  public var outstanding: Subscribers.Demand {
    lock.lock()
    defer { lock.unlock() }
    return recordedRequests.reduce(.none) { $0 + $1.demand } - sent
  }

  /// The times of all cancellations.
  public var cancellations: [VirtualTime] {
    lock.lock()
    defer { lock.unlock() }
    return recordedCancellations
  }

  /// Whether the subscription was cancelled.
  public var isCancelled: Bool { !cancellations.isEmpty }

  /// Whether there is a subscriber: not after completion or cancellation, unless the publisher keeps subscribers.
  public var isActive: Bool { subscriber != nil }

  /// The subscriber; `nil` after completion or cancellation, unless the publisher keeps subscribers.
  public var subscriber: (any Subscriber<Output, Failure>)? {
    lock.lock()
    defer { lock.unlock() }
    return attached
  }

  // MARK: Subscription

  /// Records demand.
  public func request(_ demand: Subscribers.Demand) {
    record(demand)
    onRequest.closure?(demand)
  }

  /// Records the cancellation, and releases the subscriber unless the publisher keeps subscribers.
  public func cancel() {
    let time = timeline?.now ?? .zero
    lock.lock()
    recordedCancellations.append(time)
    lock.unlock()
    if !keepsSubscriber { _ = take() }
    onCancel.closure?()
  }

  private func record(_ demand: Subscribers.Demand) {
    let time = timeline?.now ?? .zero
    lock.lock()
    recordedRequests.append(RecordedRequest(demand, at: time))
    lock.unlock()
  }

  private func take() -> (any Subscriber<Output, Failure>)? {
    lock.lock()
    defer { lock.unlock() }
    return attached.take()
  }
}

extension TestSubscription: CustomStringConvertible {
  /// The name of the type.
  public var description: String { "TestSubscription" }
}
