import Combine

/// A publisher that does what the test says, also what the rules forbid, and records what is asked of it.
package final class ManualPublisher<Output, Failure: Error>: Publisher, @unchecked Sendable {
  // `state` guards everything.

  private struct State {
    var subscriber: AnySubscriber<Output, Failure>?
    var attached: (any Subscriber)?
    var requests: [Subscribers.Demand] = []
    var cancellations = 0
    var subscriptions = 0
  }

  private let state = Shared(State())

  /// Whether `receive(subscriber:)` sends a subscription. Without, the test calls ``sendSubscription()``.
  private let subscribes: Bool

  /// Called from inside `request` and `cancel`.
  package var onRequest: ((Subscribers.Demand) -> Void)?
  package var onCancel: (() -> Void)?

  package init(subscribes: Bool = true) {
    self.subscribes = subscribes
  }

  package func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let erased = AnySubscriber(subscriber)
    let last = state.update { state in
      defer { (state.subscriber, state.attached) = (erased, subscriber) }
      state.subscriptions += 1
      return state.subscriber
    }
    withExtendedLifetime(last) {}
    if subscribes { subscriber.receive(subscription: ManualSubscription(self)) }
  }

  /// Sends one more subscription to the current subscriber.
  package func sendSubscription() { subscriber?.receive(subscription: ManualSubscription(self)) }

  /// Sends a value, whether or not it was asked for.
  @discardableResult
  package func send(_ value: Output) -> Subscribers.Demand { subscriber?.receive(value) ?? .none }

  package func send(completion: Subscribers.Completion<Failure>) { subscriber?.receive(completion: completion) }

  /// Lets go of the subscriber, as a well-behaved publisher does after completion and cancellation.
  package func forgetSubscriber() {
    let subscriber = state.update { ($0.subscriber.take(), $0.attached.take()) }
    withExtendedLifetime(subscriber) {}
  }

  package var subscriber: AnySubscriber<Output, Failure>? { state.value.subscriber }

  /// The current subscriber as it came.
  package var attached: (any Subscriber)? { state.value.attached }

  package var requests: [Subscribers.Demand] { state.value.requests }

  /// Everything asked for so far, added up.
  package var requested: Subscribers.Demand { requests.reduce(.none, +) }

  package var cancellations: Int { state.value.cancellations }

  package var subscriptions: Int { state.value.subscriptions }

  fileprivate func requested(_ demand: Subscribers.Demand) {
    state.update { $0.requests.append(demand) }
    onRequest?(demand)
  }

  fileprivate func cancelled() {
    state.update { $0.cancellations += 1 }
    onCancel?()
  }
}

private final class ManualSubscription<Output, Failure: Error>: Subscription, CustomStringConvertible {
  private let publisher: ManualPublisher<Output, Failure>

  init(_ publisher: ManualPublisher<Output, Failure>) {
    self.publisher = publisher
  }

  func request(_ demand: Subscribers.Demand) { publisher.requested(demand) }

  func cancel() { publisher.cancelled() }

  var description: String { "ManualSubscription" }
}
