import Combine
import Synchronization
import Testing

/// A subscriber that asks without limit and finds out when one signal reaches it while another does, or after the end.
package final class SerialProbe<Input, Failure: Error>: Subscriber, @unchecked Sendable {
  // `state` guards what it keeps.

  private let isBusy = Atomic(false)
  private let state = Shared((values: [Input](), completions: 0, violations: 0))
  private let end = Latch()
  private let demand: Subscribers.Demand
  private let more: Subscribers.Demand

  /// - Parameter more: What each value brings back.
  package init(demand: Subscribers.Demand = .unlimited, more: Subscribers.Demand = .none) {
    self.demand = demand
    self.more = more
  }

  package func receive(subscription: any Subscription) { subscription.request(demand) }

  package func receive(_ input: Input) -> Subscribers.Demand {
    enter()
    state.update {
      if $0.completions > 0 { $0.violations += 1 }
      $0.values.append(input)
    }
    leave()
    return more
  }

  package func receive(completion: Subscribers.Completion<Failure>) {
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
  package func wait(sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
    end.wait(sourceLocation: sourceLocation)
  }

  package var values: [Input] { state.value.values }
  package var completions: Int { state.value.completions }
  /// Signals that came while another was delivered, or after the end.
  package var violations: Int { state.value.violations }
}

/// A number and where it came from, to see that each sender's values arrive complete and in order.
package struct Numbered: Equatable, Sendable {
  package var sender: Int
  package var number: Int

  package init(sender: Int, number: Int) {
    self.sender = sender
    self.number = number
  }
}
