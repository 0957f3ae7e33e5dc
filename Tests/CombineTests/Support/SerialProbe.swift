import Combine
import Synchronization

/// A subscriber that asks without limit and finds out when one signal reaches it while another does, or after the end.
final class SerialProbe<Input, Failure: Error>: Subscriber, @unchecked Sendable {  // `state` guards what it keeps.
  private let isBusy = Atomic(false)
  private let state = Shared((values: [Input](), completions: 0, violations: 0))
  private let end = Gate()
  private let demand: Subscribers.Demand
  private let more: Subscribers.Demand

  /// - Parameter more: What each value brings back.
  init(demand: Subscribers.Demand = .unlimited, more: Subscribers.Demand = .none) {
    self.demand = demand
    self.more = more
  }

  func receive(subscription: any Subscription) { subscription.request(demand) }

  func receive(_ input: Input) -> Subscribers.Demand {
    enter()
    state.update {
      if $0.completions > 0 { $0.violations += 1 }
      $0.values.append(input)
    }
    leave()
    return more
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    enter()
    state.update { $0.completions += 1 }
    leave()
    end.open()
  }

  private func enter() {
    if isBusy.exchange(true, ordering: .acquiringAndReleasing) { state.update { $0.violations += 1 } }
  }

  private func leave() { isBusy.store(false, ordering: .releasing) }

  /// Waits for the completion.
  func wait() -> Bool { end.wait() }

  var values: [Input] { state.value.values }
  var completions: Int { state.value.completions }
  /// Signals that came while another was delivered, or after the end.
  var violations: Int { state.value.violations }
}

/// A number and where it came from, to see that each sender's values arrive complete and in order.
struct Numbered: Equatable, Sendable {
  var sender: Int
  var number: Int
}
