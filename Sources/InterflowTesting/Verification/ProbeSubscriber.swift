import Combine

/// The subscriber of a probe. Only the publisher retains it.
final class ProbeSubscriber<Input, Failure: Error>: Subscriber {
  private let probe: Probe

  init(_ probe: Probe) {
    self.probe = probe
  }

  deinit {
    probe.releaseBegins()
    probe.behaviour.onRelease(probe)
    probe.released()
  }

  func receive(subscription: any Subscription) {
    guard let number = probe.begins(.subscription, "subscription \(subscription)") else { return }
    probe.store(subscription)
    if number <= Probe.Behaviour.mostCalls { probe.behaviour.onSubscription(probe) }
    probe.returns()
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard let number = probe.begins(.value, "value \(input)") else { return .none }
    let more = probe.behaviour.onValue(probe, number)
    probe.returns(more)
    return more
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let number: Int?
    switch completion {
    case .finished: number = probe.begins(.end, "finished")
    case .failure(let error):
      probe.endsWithFailure()
      number = probe.begins(.end, "failure \(error)")
    }
    guard let number else { return }
    if number <= Probe.Behaviour.mostCalls { probe.behaviour.onEnd(probe) }
    probe.returns()
  }
}
