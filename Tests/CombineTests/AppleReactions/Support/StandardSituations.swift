import InterflowTestSupport
import Combine

/// What can be done to every operator.
enum StandardSituation: String, CaseIterable, Sendable {
  case valueBeforeSubscription = "a value before the subscription"
  case completionBeforeSubscription = "a completion before the subscription"
  case requestBeforeSubscription = "a request before the subscription"
  case cancellationBeforeSubscription = "a cancellation before the subscription"
  case secondSubscription = "a second subscription"
  case subscriptionAfterCompletion = "a subscription after a completion"
  case subscriptionAfterCancellation = "a subscription after a cancellation"
  case valueAfterCompletion = "a value after a completion"
  case completionAfterCompletion = "a completion after a completion"
  case valueAfterCancellation = "a value after a cancellation"
  case completionAfterCancellation = "a completion after a cancellation"
  case requestForNone = "a request for no values"
  case repeatedCancellation = "two cancellations and a request"
}

/// What an operator does in a ``StandardSituation``.
enum StandardReaction: Sendable {
  /// The signal is handed on as in the ordinary course, and for a value downstream's demand is returned.
  case passes
  /// Nothing can be seen.
  case isIgnored
  /// The process stops, with a message that contains this.
  case traps(String)
  /// For a request: it goes to upstream's subscription.
  case isForwarded
  /// For a cancellation before the subscription: it is forgotten. The subscription is sent on and these requests are
  /// made of it.
  case isForgotten(asking: [Subscribers.Demand] = [])
  /// For a cancellation before the subscription: it counts, and the subscription is cancelled when it comes.
  case counts
  /// For a further subscription: it is cancelled, and downstream does not hear of it.
  case isCancelled
  /// For a further subscription: it is sent on, and these requests are made of it.
  case isSentOn(asking: [Subscribers.Demand] = [])
  /// For repeated cancellations: upstream is cancelled once, and nothing requested after that.
  case happensOnce
  /// Something else: these lines.
  case lines([String])
}

extension Dictionary where Key == StandardSituation, Value == StandardReaction {
  /// How every operator reacts that has a subscription of its own.
  static let ownSubscription: Self = [
    .secondSubscription: .isCancelled, .subscriptionAfterCompletion: .isCancelled,
    .subscriptionAfterCancellation: .isCancelled, .repeatedCancellation: .happensOnce,
  ]

  /// These reactions and some more, which take precedence.
  func with(_ more: Self) -> Self { merging(more) { $1 } }
}

/// The rows of an operator for the situations that every operator has.
///
/// ```swift
/// standardReactions(
///   of: "Publishers.TryMap", [.valueBeforeSubscription: .passes, .completionBeforeSubscription: .isIgnored]
/// ) { $0.tryMap { $0 } }
/// ```
///
/// Where a signal comes before the subscription or is a request for none, the downstream requests nothing; otherwise it
/// requests two values from inside its subscription. It returns `max(7)` for each
/// value.
///
/// - Parameters:
///   - publisher: The publisher's type in the listing of the API.
///   - variant: Tells the rows apart where a publisher has several sets of them.
///   - feed: Values that make the operator deliver something.
///   - delivery: The lines that these values make where they pass.
///   - reactions: What is recorded of Apple's, or what is done here, for the situations of which anything is.
///   - departures: The situations among them where Apple's does something else.
func standardReactions<P: Publisher & SendableMetatype>(
  of publisher: String, variant: String = "", feed: [Int] = [1],
  delivery: [String] = ["value 1", "upstream gets max(7)"], _ reactions: [StandardSituation: StandardReaction],
  departures: [StandardSituation: Reaction.Departure] = [:],
  make: @escaping @Sendable (LoggedUpstream<Int, TestError>) -> P
) -> [Reaction] {
  StandardSituation.allCases.compactMap { situation in
    guard let reaction = reactions[situation] else { return nil }
    let title = situation.rawValue + (variant.isEmpty ? "" : ", \(variant)")
    return Reaction(
      publisher, title, reaction.outcome(in: situation, delivery: delivery), departure: departures[situation]
    ) { log in
      perform(situation, on: make, feed: feed, log)
    }
  }
}

extension StandardReaction {
  fileprivate func outcome(in situation: StandardSituation, delivery: [String]) -> Reaction.Outcome {
    switch self {
    case .traps(let message): return .traps(message)
    case .lines(let lines): return .lines(lines)
    case .isIgnored: return .lines([])
    case .isForwarded: return .lines(["upstream: request max(0)"])
    case .counts: return .lines(["upstream: cancel"])
    case .isCancelled: return .lines(["upstream#2: cancel"])
    case .happensOnce: return .lines(["upstream: cancel"])
    case .isForgotten(let demands):
      return .lines(["subscription"] + demands.map { "upstream: request \($0)" })
    case .isSentOn(let demands):
      return .lines(["subscription", "upstream#2: request max(2)"] + demands.map { "upstream#2: request \($0)" })
    case .passes:
      switch situation {
      case .valueBeforeSubscription, .valueAfterCompletion, .valueAfterCancellation: return .lines(delivery)
      case .repeatedCancellation:
        return .lines(["upstream: cancel", "upstream: cancel", "upstream: request max(1)"])
      default: return .lines(["finished"])
      }
    }
  }
}

private func perform<P: Publisher>(
  _ situation: StandardSituation, on make: (LoggedUpstream<Int, TestError>) -> P, feed: [Int], _ log: EventLog
) {
  func stream(subscribes: Bool = false, demand: Subscribers.Demand = .none) -> LoggedStream<P.Output, P.Failure> {
    let stream = LoggedStream(log, subscribes: subscribes, demand: demand, returns: .max(7), make)
    log.clear()
    return stream
  }
  func sendFeed(_ stream: LoggedStream<P.Output, P.Failure>) {
    for value in feed { stream.upstream.send(value) }
  }
  func ended(_ end: (LoggedStream<P.Output, P.Failure>) -> Void) -> LoggedStream<P.Output, P.Failure> {
    let stream = stream(subscribes: true, demand: .max(2))
    end(stream)
    log.clear()
    return stream
  }
  switch situation {
  case .valueBeforeSubscription: sendFeed(stream())
  case .completionBeforeSubscription: stream().finish()
  case .requestBeforeSubscription: stream().request(.max(2))
  case .cancellationBeforeSubscription:
    let stream = stream()
    stream.cancel()
    stream.upstream.sendSubscription()
  case .secondSubscription:
    let stream = stream(subscribes: true, demand: .max(2))
    log.clear()
    stream.upstream.sendSubscription()
  case .valueAfterCompletion: sendFeed(ended { $0.finish() })
  case .completionAfterCompletion: ended { $0.finish() }.finish()
  case .valueAfterCancellation: sendFeed(ended { $0.cancel() })
  case .completionAfterCancellation: ended { $0.cancel() }.finish()
  case .requestForNone: stream(subscribes: true).request(.none)
  case .subscriptionAfterCompletion: ended { $0.finish() }.upstream.sendSubscription()
  case .subscriptionAfterCancellation: ended { $0.cancel() }.upstream.sendSubscription()
  case .repeatedCancellation:
    let stream = stream(subscribes: true)
    stream.cancel()
    stream.cancel()
    stream.request(.max(1))
  }
}
