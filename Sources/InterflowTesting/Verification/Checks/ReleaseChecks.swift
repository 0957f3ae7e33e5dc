import Combine

extension Check {
  static let release: [Check] = [
    Check(.releasedAfterCancel) { trial in
      let probe = try trial.attach()
      probe.cancel()
      try trial.awaitRelease(probe, after: "a cancellation before any request")
    },
    Check(.releasedAfterCancel) { trial in
      var behaviour = Probe.Behaviour()
      behaviour.onSubscription = { $0.cancel() }
      let probe = try trial.attach(behaviour)
      try trial.awaitRelease(probe, after: "a cancellation inside receive(subscription:)")
    },
    Check(.releasedAfterCancel) { trial in
      var behaviour = Probe.Behaviour.requesting(.unlimited)
      behaviour.onValue = { probe, _ in
        probe.cancel()
        return .none
      }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.waitFor(probe, "a value") { $0.ledger.received > 0 }
      try trial.awaitRelease(probe, after: "a cancellation inside receive(_:)")
    },
    Check(.releasedAfterCancel, minimumCount: 2) { trial in
      let probe = try trial.attach(.requesting(.max(1)))
      trial.drive()
      try trial.waitFor(probe, "a value") { $0.ledger.received > 0 }
      probe.cancel()
      try trial.awaitRelease(probe, after: "a cancellation between two values")
    },
    Check(.releasedAfterCompletion, minimumCount: 0, needsCompletion: true) { trial in
      let probe = try trial.completeRun()
      try trial.awaitRelease(probe, after: "the completion")
    },
    Check(.releasedAfterFailure, source: .failing) { trial in
      let probe = try trial.completeRun()
      try trial.awaitRelease(probe, after: "the failure")
    },
  ]
}
