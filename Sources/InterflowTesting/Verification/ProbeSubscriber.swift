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
    probe.begins(.subscription, "subscription \(subscription)")
    probe.store(subscription)
    probe.behaviour.onSubscription(probe)
    probe.returns()
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    probe.begins(.value, "value \(input)")
    let more = probe.behaviour.onValue(probe, probe.now.ledger.received)
    probe.returns(more)
    return more
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: probe.begins(.end, "finished")
    case .failure(let error):
      probe.endsWithFailure()
      probe.begins(.end, "failure \(error)")
    }
    probe.behaviour.onEnd(probe)
    probe.returns()
  }
}
