import Combine

/// Checks that another thread's call returns while the subscriber is being called, which it does not if a lock is held.
extension Check {
  static let callOuts: [Check] = [
    Check(.requestDuringASignal) { trial in
      let request: @Sendable (Probe) -> Void = { probe in
        trial.onOtherThreads("request(_:)", probe) { _ in probe.request(.max(1)) }
      }
      var behaviour = Probe.Behaviour()
      behaviour.onSubscription = request
      behaviour.onValue = { probe, _ in
        if trial.mayRequest(probe) { request(probe) }
        return .none
      }
      behaviour.onEnd = request
      let probe = try trial.attach(behaviour)
      probe.request(.unlimited)
      trial.drive()
      try trial.finish(probe)
    },
    Check(.cancelDuringASignal) { trial in
      var behaviour = Probe.Behaviour()
      behaviour.onSubscription = { probe in
        trial.onOtherThreads("cancel() inside receive(subscription:)", probe) { _ in probe.cancel() }
      }
      _ = try trial.attach(behaviour)
    },
    Check(.cancelDuringASignal) { trial in
      var behaviour = Probe.Behaviour.requesting(.unlimited)
      behaviour.onValue = { probe, number in
        if number == 1 { trial.onOtherThreads("cancel() inside receive(_:)", probe) { _ in probe.cancel() } }
        return .none
      }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.waitFor(probe, "a value") { $0.ledger.received > 0 }
    },
    Check(.cancelDuringASignal, minimumCount: 0, needsCompletion: true) { trial in
      var behaviour = Probe.Behaviour.requesting(.unlimited)
      behaviour.onEnd = { probe in
        trial.onOtherThreads("cancel() inside receive(completion:)", probe) { _ in probe.cancel() }
      }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.finish(probe)
    },
    Check(.subscribeDuringASignal, minimumCount: 0) { trial in
      let subscribe: @Sendable (Probe) -> Void = { probe in
        trial.onOtherThreads("subscribe(_:)", probe) { _ in
          let other = trial.makeProbe(Probe.Behaviour())
          trial.publisher.subscribe(other)
          other.cancel()
        }
      }
      var behaviour = Probe.Behaviour()
      behaviour.onSubscription = { probe in
        subscribe(probe)
        probe.request(.unlimited)
      }
      behaviour.onValue = { probe, number in
        if number == 1 { subscribe(probe) }
        return .none
      }
      behaviour.onEnd = subscribe
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.finish(probe)
    },
    Check(.callsDuringRelease) { trial in
      var behaviour = callingAtRelease(trial)
      behaviour.onValue = { probe, _ in
        probe.cancel()
        return .none
      }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.awaitRelease(probe, after: "a cancellation inside receive(_:)")
    },
    Check(.callsDuringRelease) { trial in
      var behaviour = callingAtRelease(trial)
      behaviour.onSubscription = { _ in }
      let probe = try trial.attach(behaviour)
      probe.cancel()
      try trial.awaitRelease(probe, after: "a cancellation")
    },
    Check(.callsDuringRelease, minimumCount: 0, needsCompletion: true) { trial in
      let probe = try trial.attach(callingAtRelease(trial))
      trial.drive()
      try trial.awaitRelease(probe, after: "the completion")
    },
  ]

  /// Requests unlimited demand, and uses the subscription on another thread while the subscriber is deallocated.
  private static func callingAtRelease(_ trial: Trial) -> Probe.Behaviour {
    var behaviour = Probe.Behaviour.requesting(.unlimited)
    behaviour.onRelease = { probe in
      trial.onOtherThreads("request(_:) or cancel() while the subscriber was deallocated,", probe) { _ in
        probe.request(.max(1))
        probe.cancel()
      }
    }
    return behaviour
  }
}
