import Combine
import Synchronization

/// A subscriber under the test's control, which keeps every signal in the order in which it came.
final class Recorder<Input, Failure: Error>: Subscriber, @unchecked Sendable {  // `state` guards everything mutable.
  enum Event {
    case subscription(String)
    case value(Input)
    case finished
    case failure(Failure)
  }

  struct State {
    var events: [Event] = []
    var subscription: (any Subscription)?
  }

  private let state = Shared(State())
  private let initialDemand: Subscribers.Demand
  private let demandForEach: (Input) -> Subscribers.Demand

  /// Called from inside `receive(subscription:)`, `receive(_:)` and `receive(completion:)`, after the signal is
  /// recorded.
  var onSubscription: ((any Subscription) -> Void)?
  var onValue: ((Input) -> Void)?
  var onCompletion: ((Subscribers.Completion<Failure>) -> Void)?

  init(
    demand: Subscribers.Demand = .unlimited, demandForEach: @escaping (Input) -> Subscribers.Demand = { _ in .none }
  ) {
    initialDemand = demand
    self.demandForEach = demandForEach
  }

  func receive(subscription: any Subscription) {
    state.update {
      $0.events.append(.subscription("\(subscription)"))
      $0.subscription = subscription
    }
    onSubscription?(subscription)
    if initialDemand != .none { subscription.request(initialDemand) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    state.update { $0.events.append(.value(input)) }
    onValue?(input)
    return demandForEach(input)
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    state.update {
      switch completion {
      case .finished: $0.events.append(.finished)
      case .failure(let error): $0.events.append(.failure(error))
      }
    }
    onCompletion?(completion)
  }

  func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }

  func cancel() { subscription?.cancel() }

  /// Lets go of the subscription, so that a test can see who else holds it.
  func forgetSubscription() { withExtendedLifetime(subscription) { state.update { $0.subscription = nil } } }

  var subscription: (any Subscription)? { state.value.subscription }

  var events: [Event] { state.value.events }

  var values: [Input] {
    events.compactMap { if case .value(let value) = $0 { value } else { nil } }
  }

  /// The signals after the subscription, as text: the values, then `finished` or the error.
  var log: [String] {
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
  var completions: Int {
    events.count {
      switch $0 {
      case .finished, .failure: true
      default: false
      }
    }
  }

  var isFinished: Bool { events.contains { if case .finished = $0 { true } else { false } } }

  var error: Failure? {
    for case .failure(let error) in events { return error }
    return nil
  }

  var subscriptions: [String] {
    events.compactMap { if case .subscription(let name) = $0 { name } else { nil } }
  }
}

/// Carries a test's value past a check that the test itself makes safe by what it does with it.
struct UncheckedBox<Value>: @unchecked Sendable {  // Each use states its own protection.
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// Keeps what is written to it.
final class Lines: TextOutputStream {
  private(set) var text = ""

  func write(_ string: String) { text += string }
}

/// The error of tests that need one.
struct TestError: Error, Hashable, Codable, CustomStringConvertible {
  var name = "test error"

  init(_ name: String = "test error") { self.name = name }

  var description: String { name }
}

/// Counts how many of the objects that it has handed out are alive.
final class LifetimeCounter: Sendable {
  private let alive = Atomic(0)

  var count: Int { alive.load(ordering: .acquiring) }

  func make() -> Token {
    alive.wrappingAdd(1, ordering: .acquiringAndReleasing)
    return Token(self)
  }

  final class Token: Sendable {
    private let counter: LifetimeCounter

    fileprivate init(_ counter: LifetimeCounter) { self.counter = counter }

    deinit { counter.alive.wrappingSubtract(1, ordering: .acquiringAndReleasing) }

    /// Does nothing but keep the token referred to by a closure.
    func touch() {}
  }
}
