import Combine
import InterflowTesting

extension RecordingSubscriber {
  package var subscriptionNames: [String] { subscriptions.map { "\($0)" } }

  /// How often the stream has ended; never more than once if upstream keeps the rules.
  package var completions: Int { signals.count { $0.completion != nil } }

  package var isFinished: Bool {
    signals.contains { if case .finished = $0.kind { true } else { false } }
  }

  package var error: Failure? {
    for case .failure(let error) in signals.lazy.map(\.kind) { return error }
    return nil
  }
}

extension TestPublisher {
  /// Everything asked for so far, added up.
  package var requested: Subscribers.Demand { requests.reduce(.none) { $0 + $1.demand } }
}
