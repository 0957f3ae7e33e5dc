import Combine

/// A rule that a publisher breaks.
enum Sloppiness: CaseIterable {
  /// Never sends a subscription.
  case neverSubscribes
  /// Sends a value before its subscription.
  case sendsEarly
  /// Completes before its subscription.
  case completesEarly
  case subscribesTwice
  /// Goes on after its completion, and completes once more.
  case goesOnAfterTheEnd
  /// Sends what nobody has requested.
  case ignoresDemand
  case ignoresCancellation

  /// Whether something comes before the subscription, or without one.
  var isEarly: Bool {
    switch self {
    case .neverSubscribes, .sendsEarly, .completesEarly: true
    case .subscribesTwice, .goesOnAfterTheEnd, .ignoresDemand, .ignoresCancellation: false
    }
  }
}

/// Passes a publisher on, and breaks a rule on the way.
struct Sloppy: Publisher {
  typealias Output = Int
  typealias Failure = Mishap

  let upstream: Numbers
  let sloppiness: Sloppiness

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Mishap {
    upstream.subscribe(Passage(subscriber, sloppiness))
  }

  private final class Passage<Downstream: Subscriber>: Subscriber, Subscription
  where Downstream.Input == Int, Downstream.Failure == Mishap {
    private let downstream: Downstream
    private let sloppiness: Sloppiness
    private var upstream: (any Subscription)?

    init(_ downstream: Downstream, _ sloppiness: Sloppiness) {
      self.downstream = downstream
      self.sloppiness = sloppiness
    }

    func receive(subscription: any Subscription) {
      upstream = subscription
      switch sloppiness {
      case .neverSubscribes:
        subscription.request(.unlimited)
        return
      case .sendsEarly: _ = downstream.receive(7)
      case .completesEarly: downstream.receive(completion: .finished)
      case .subscribesTwice: downstream.receive(subscription: self)
      case .ignoresDemand, .goesOnAfterTheEnd, .ignoresCancellation: break
      }
      downstream.receive(subscription: self)
      if sloppiness == .ignoresDemand { subscription.request(.unlimited) }
    }

    func receive(_ input: Int) -> Subscribers.Demand { downstream.receive(input) }

    func receive(completion: Subscribers.Completion<Mishap>) {
      downstream.receive(completion: completion)
      guard sloppiness == .goesOnAfterTheEnd else { return }
      _ = downstream.receive(8)
      downstream.receive(completion: .finished)
      _ = downstream.receive(9)
    }

    func request(_ demand: Subscribers.Demand) { upstream?.request(demand) }

    func cancel() {
      if sloppiness != .ignoresCancellation { upstream?.cancel() }
    }
  }
}

extension Pipeline {
  /// Whether a signal before the subscription stops the program, as it does with Apple's.
  var trapsEarlySignals: Bool {
    contains {
      guard case .unary(_, let op) = $0 else { return false }
      return switch op {
      case .removeDuplicates, .removeDuplicatesBy, .tryRemoveDuplicates, .tryFilter, .tryCompactMap, .prefixWhile,
        .tryPrefixWhile:
        true
      default: false
      }
    }
  }
}
