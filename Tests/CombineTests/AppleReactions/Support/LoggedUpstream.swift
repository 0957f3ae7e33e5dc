import Combine

/// A publisher that sends what the test says when the test says so, also what the rules forbid, and logs what is asked
/// of each subscription that it has sent.
///
/// Its lines are `upstream: request max(2)`, `upstream: cancel`, and `upstream gets max(1)` for a value that brings
/// demand back. The second subscription goes by `upstream#2`. A publisher with another name says that instead.
final class LoggedUpstream<Output, Failure: Error>: Publisher, @unchecked Sendable {  // One thread uses it.
  let log: EventLog
  let name: String

  /// The last subscriber, as it came.
  private(set) var subscriber: (any Subscriber<Output, Failure>)?

  /// Called from inside each request and each cancellation, after it is logged.
  var onRequest: ((Subscribers.Demand) -> Void)?
  var onCancel: (() -> Void)?

  private let subscribes: Bool
  private var subscriptions = 0

  /// - Parameter subscribes: Whether a subscriber gets a subscription at once. Without, the test calls
  ///   ``sendSubscription()``.
  init(_ log: EventLog, _ name: String = "upstream", subscribes: Bool = true) {
    self.log = log
    self.name = name
    self.subscribes = subscribes
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    self.subscriber = subscriber
    if subscribes { sendSubscription() }
  }

  /// Sends a subscription, the first one or one more.
  func sendSubscription() {
    subscriptions += 1
    let label = subscriptions == 1 ? name : "\(name)#\(subscriptions)"
    subscriber?.receive(subscription: LoggedSubscription(self, label))
  }

  /// Sends a value, whether or not it was asked for and there is a subscription.
  func send(_ value: Output) {
    guard let more = subscriber?.receive(value), more != .none else { return }
    log.add("\(name) gets \(more)")
  }

  /// Sends a completion, whether or not there is a subscription and this is the first.
  func send(completion: Subscribers.Completion<Failure>) { subscriber?.receive(completion: completion) }

  /// The subscriber as the subscription that it is as well, where an operator has one object for both: the way to
  /// request and to cancel before there is a subscription.
  var subscriberAsSubscription: (any Subscription)? { subscriber as? any Subscription }
}

private final class LoggedSubscription<Output, Failure: Error>: Subscription, CustomStringConvertible {
  private let upstream: LoggedUpstream<Output, Failure>
  private let label: String

  init(_ upstream: LoggedUpstream<Output, Failure>, _ label: String) {
    self.upstream = upstream
    self.label = label
  }

  func request(_ demand: Subscribers.Demand) {
    upstream.log.add("\(label): request \(demand)")
    upstream.onRequest?(demand)
  }

  func cancel() {
    upstream.log.add("\(label): cancel")
    upstream.onCancel?()
  }

  var description: String { "Subscription of \(label)" }
}
