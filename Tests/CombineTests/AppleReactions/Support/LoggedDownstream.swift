import InterflowTestSupport
import Combine

/// A subscriber that logs its signals and asks for what the test says.
///
/// Its lines are `subscription`, `value 1`, `finished` and `failure test error`.
final class LoggedDownstream<Input, Failure: Error>: Subscriber, @unchecked Sendable {  // One thread uses it.
  let log: EventLog

  /// The last subscription.
  private(set) var subscription: (any Subscription)?

  /// Requested from inside `receive(subscription:)`, unless it is none.
  let demand: Subscribers.Demand
  /// Returned from `receive(_:)`.
  var returns: Subscribers.Demand

  /// Called from inside each signal, after it is logged.
  var onSubscription: ((any Subscription) -> Void)?
  var onValue: ((Input) -> Void)?
  var onCompletion: ((Subscribers.Completion<Failure>) -> Void)?

  init(_ log: EventLog, demand: Subscribers.Demand = .none, returns: Subscribers.Demand = .none) {
    self.log = log
    self.demand = demand
    self.returns = returns
  }

  func receive(subscription: any Subscription) {
    log.add("subscription")
    self.subscription = subscription
    onSubscription?(subscription)
    if demand != .none { subscription.request(demand) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    log.add("value \(input)")
    onValue?(input)
    return returns
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: log.add("finished")
    case .failure(let error): log.add("failure \(error)")
    }
    onCompletion?(completion)
  }

  func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }

  func cancel() { subscription?.cancel() }
}

/// An operator between a ``LoggedUpstream`` and a ``LoggedDownstream`` with one log.
struct LoggedStream<Output, Failure: Error> {
  let log: EventLog
  let upstream: LoggedUpstream<Int, TestError>
  let downstream: LoggedDownstream<Output, Failure>

  /// Subscribes the downstream to the operator.
  ///
  /// - Parameters:
  ///   - subscribes: Whether the upstream sends a subscription at once.
  ///   - demand: What the downstream requests from inside `receive(subscription:)`.
  ///   - returns: What the downstream returns for each value.
  init<P: Publisher>(
    _ log: EventLog, subscribes: Bool = true, demand: Subscribers.Demand = .none, returns: Subscribers.Demand = .none,
    _ make: (LoggedUpstream<Int, TestError>) -> P
  ) where P.Output == Output, P.Failure == Failure {
    self.log = log
    upstream = LoggedUpstream(log, subscribes: subscribes)
    downstream = LoggedDownstream(log, demand: demand, returns: returns)
    make(upstream).subscribe(downstream)
  }

  /// Sends values from the upstream.
  func send(_ values: Int...) {
    for value in values { upstream.send(value) }
  }

  func finish() { upstream.send(completion: .finished) }

  func fail() { upstream.send(completion: .failure(TestError())) }

  func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }

  func cancel() { subscription?.cancel() }

  /// What the downstream was sent; before that, the operator's subscriber where it is a subscription as well.
  var subscription: (any Subscription)? { downstream.subscription ?? upstream.subscriberAsSubscription }
}
