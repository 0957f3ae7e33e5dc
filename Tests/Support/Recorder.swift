import Combine
import Synchronization

/// A subscriber under the test's control, which keeps every signal in the order in which it came.
package final class Recorder<Input, Failure: Error>: Subscriber, @unchecked Sendable {
  // `state` guards everything mutable.

  package enum Event {
    case subscription(String)
    case value(Input)
    case finished
    case failure(Failure)
  }

  private struct State {
    var events: [Event] = []
    var subscription: (any Subscription)?
  }

  private let state = Shared(State())
  private let initialDemand: Subscribers.Demand
  private let demandForEach: (Input) -> Subscribers.Demand

  /// Called from inside `receive(subscription:)`, `receive(_:)` and `receive(completion:)`, after the signal is
  /// recorded.
  package var onSubscription: ((any Subscription) -> Void)?
  package var onValue: ((Input) -> Void)?
  package var onCompletion: ((Subscribers.Completion<Failure>) -> Void)?

  package init(
    demand: Subscribers.Demand = .unlimited, demandForEach: @escaping (Input) -> Subscribers.Demand = { _ in .none }
  ) {
    initialDemand = demand
    self.demandForEach = demandForEach
  }

  package func receive(subscription: any Subscription) {
    state.update {
      $0.events.append(.subscription("\(subscription)"))
      $0.subscription = subscription
    }
    onSubscription?(subscription)
    if initialDemand != .none { subscription.request(initialDemand) }
  }

  package func receive(_ input: Input) -> Subscribers.Demand {
    state.update { $0.events.append(.value(input)) }
    onValue?(input)
    return demandForEach(input)
  }

  package func receive(completion: Subscribers.Completion<Failure>) {
    state.update {
      switch completion {
      case .finished: $0.events.append(.finished)
      case .failure(let error): $0.events.append(.failure(error))
      }
    }
    onCompletion?(completion)
  }

  package func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }

  package func cancel() { subscription?.cancel() }

  /// Lets go of the subscription, so that a test can see who else holds it.
  package func forgetSubscription() { withExtendedLifetime(subscription) { state.update { $0.subscription = nil } } }

  package var subscription: (any Subscription)? { state.value.subscription }

  package var events: [Event] { state.value.events }

  package var values: [Input] {
    events.compactMap { if case .value(let value) = $0 { value } else { nil } }
  }

  /// The signals after the subscription, as text: the values, then `finished` or the error.
  package var log: [String] {
    events.compactMap {
      switch $0 {
      case .subscription: nil
      case .value(let value): "\(value)"
      case .finished: "finished"
      case .failure(let error): "\(error)"
      }
    }
  }

  /// How often the stream has ended; never more than once if upstream keeps the rules.
  package var completions: Int {
    events.count {
      switch $0 {
      case .finished, .failure: true
      default: false
      }
    }
  }

  package var isFinished: Bool { events.contains { if case .finished = $0 { true } else { false } } }

  package var error: Failure? {
    for case .failure(let error) in events { return error }
    return nil
  }

  package var subscriptions: [String] {
    events.compactMap { if case .subscription(let name) = $0 { name } else { nil } }
  }
}

/// Carries a test's value past a check that the test itself makes safe by what it does with it.
package struct UncheckedBox<Value>: @unchecked Sendable {  // Each use states its own protection.
  package var value: Value

  package init(_ value: Value) { self.value = value }
}

/// Keeps what is written to it.
package final class Lines: TextOutputStream {
  package private(set) var text = ""

  package init() {}

  package func write(_ string: String) { text += string }
}

/// The error of tests that need one.
package struct TestError: Error, Hashable, Codable, CustomStringConvertible {
  package var name = "test error"

  package init(_ name: String = "test error") { self.name = name }

  package var description: String { name }
}

/// Counts how many of the objects that it has handed out are alive.
package final class LifetimeCounter: Sendable {
  private let alive = Atomic(0)

  package init() {}

  package var count: Int { alive.load(ordering: .acquiring) }

  package func make() -> Token {
    alive.wrappingAdd(1, ordering: .acquiringAndReleasing)
    return Token(self)
  }

  package final class Token: Sendable {
    private let counter: LifetimeCounter

    fileprivate init(_ counter: LifetimeCounter) { self.counter = counter }

    deinit { counter.alive.wrappingSubtract(1, ordering: .acquiringAndReleasing) }

    /// Does nothing but keep the token referred to by a closure.
    package func touch() {}
  }
}
