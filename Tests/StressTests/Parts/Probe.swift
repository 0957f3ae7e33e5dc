import Combine
import InterflowTestSupport

/// A subscriber that asks and cancels at random, from inside and from outside, and sees whether the rules are kept.
final class Probe<Input, Failure: Error>: Subscriber, @unchecked Sendable {  // `state` guards everything mutable.
  private struct State {
    var origins: [Item.Origin] = []
    var subscription: (any Subscription)?
    var requested = Subscribers.Demand.none
    var completions: [Subscribers.Completion<Failure>] = []
    var isBusy = false
    var isCancelled = false
    var hasLeft = false
  }

  private let world: World
  private let participant: Participant
  private let origin: @Sendable (Input) -> Item.Origin
  private let leavesAfter: Int
  private let initial: Subscribers.Demand
  private let state = Shared(State())

  /// - Parameters:
  ///   - initial: What it asks for when it receives its subscription.
  ///   - leavesAfter: After how many values it cancels, from inside.
  init(
    _ world: World, _ name: String = "probe", initial: Subscribers.Demand = .none, leavesAfter: Int = .max,
    _ origin: @escaping @Sendable (Input) -> Item.Origin
  ) {
    self.world = world
    self.origin = origin
    self.initial = initial
    self.leavesAfter = leavesAfter
    participant = world.participant(name)
  }

  /// What it has received.
  var origins: [Item.Origin] { state.value.origins }
  var requested: Subscribers.Demand { state.value.requested }
  /// How often it has been told of an end.
  var completions: [Subscribers.Completion<Failure>] { state.value.completions }
  var isCancelled: Bool { state.value.isCancelled }
  /// Whether nothing more will come.
  var isOver: Bool { isCancelled || !completions.isEmpty }
  var hasFinished: Bool {
    completions.contains { if case .finished = $0 { true } else { false } }
  }

  func receive(subscription: any Subscription) {
    participant.note("is subscribed")
    let isSecond = state.update { state in
      defer { state.subscription = subscription }
      return state.subscription != nil
    }
    world.check(!isSecond, "there is a second subscription")
    if initial != .none { request(initial) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    let origin = origin(input)
    participant.note("receives", origin.number)
    enter()
    let count = state.update {
      $0.origins.append(origin)
      world.check($0.requested >= $0.origins.count, "\($0.origins.count) values came, \($0.requested) were asked for")
      return $0.origins.count
    }
    if count == leavesAfter {
      cancel()
      state.update { $0.hasLeft = true }
    } else if participant.once(in: 4) {
      request(.max(participant.number(1...2)))
    }
    var more = Subscribers.Demand.none
    if participant.once(in: 3) {
      more = .max(participant.number(1...2))
      participant.note("asks for more", more.max)
      state.update { $0.requested += more }
    }
    leave()
    return more
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    participant.note("receives the end")
    enter()
    state.update { $0.completions.append(completion) }
    leave()
  }

  private func enter() {
    let (overlaps, isLate, isCancelled) = state.update { state in
      defer { state.isBusy = true }
      // On threads, a signal may have been under way when another thread cancelled.
      return (state.isBusy, !state.completions.isEmpty, world.isThreaded ? state.hasLeft : state.isCancelled)
    }
    world.check(!overlaps, "a signal came while another was delivered")
    world.check(!isLate, "a signal came after the end")
    world.check(!isCancelled, "a signal came after the cancellation")
  }

  private func leave() { state.update { $0.isBusy = false } }

  func request(_ demand: Subscribers.Demand) {
    participant.note("requests", demand.max)
    let subscription = state.update {
      $0.requested += demand
      return $0.subscription
    }
    subscription?.request(demand)
  }

  func cancel() {
    participant.note("cancels")
    let subscription = state.value.subscription
    subscription?.cancel()
    state.update { $0.isCancelled = true }
  }

  /// Lets go of the subscription without a word.
  func drop() {
    participant.note("drops the subscription")
    let subscription = state.update { $0.subscription.take() }
    withExtendedLifetime(subscription) {}
  }
}
