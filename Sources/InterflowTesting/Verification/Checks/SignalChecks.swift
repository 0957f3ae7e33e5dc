import Combine

extension Check {
  static let signals: [Check] = [
    Check(.everythingIsDelivered, fewest: 0) { try $0.completeRun() },
    Check(.subscriptionComesFirst, fewest: 0) { try $0.completeRun() },
    Check(.subscriptionComesOnce, fewest: 0) { try $0.completeRun() },
    Check(.signalsAreSerial, crowd: .script(Check.signalsFromSeveralThreads)) { trial in
      let probe = try trial.attach(lingering(.unlimited))
      trial.drive()
      try trial.finish(probe)
    },
    Check(.signalsAreSerial, fewest: 2) { trial in
      var behaviour = Probe.Behaviour.asking(.max(1))
      behaviour.onValue = { probe, _ in
        // Whoever serves a request where it is made delivers on two threads now.
        trial.elsewhere("request(_:)", probe, breaking: .requestDuringASignal) { _ in probe.request(.max(1)) }
        return .none
      }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try awaitEnd(trial, probe)
    },
    Check(.signalsWaitForTheSubscription) { trial in
      var behaviour = Probe.Behaviour()
      behaviour.onSubscription = { probe in
        probe.request(.unlimited)
        // For a publisher that takes a while to get there.
        for _ in 0..<2 { probe.linger() }
      }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.finish(probe)
    },
    Check(.endComesOnce, fewest: 0, takesCompletion: true, alone: driveAgain),
    Check(.nothingFollowsTheEnd, fewest: 0, takesCompletion: true, alone: driveAgain),
    Check(.completionNeedsNoDemand, source: .number(0), fewest: 0, takesCompletion: true) { trial in
      let probe = try trial.attach()
      trial.drive()
      try trial.finish(probe)
    },
    Check(.failureNeedsNoDemand, source: .failing) { trial in
      let probe = try trial.attach()
      trial.drive()
      try trial.finish(probe)
    },
    Check(.failureEndsTheStream, source: .failing) { trial in
      let probe = try trial.completeRun()
      let received = probe.now.ledger.received
      try trial.expect(received == 0, "\(received) values came from a publisher that fails without one", probe)
      probe.expectSilence(under: .failureEndsTheStream)
      probe.request(.max(1))
      trial.drive()
      try trial.grace()
    },
    Check(.eachSubscriberIsServed) { trial in
      let first = try trial.attach(.asking(.unlimited))
      let second = try trial.attach(.asking(.unlimited))
      let areTwo = first.subscriptionIdentifier != second.subscriptionIdentifier
      try trial.expect(areTwo, "two subscribers got one subscription", second)
      trial.drive()
      try trial.finish(first)
      try trial.finish(second)
    },
  ]

  /// Makes it deliver again, with demand, after the end.
  @Sendable
  private static func driveAgain(_ trial: Trial) throws {
    _ = try trial.completeRun()
    trial.drive()
    try trial.grace()
  }

  /// Dwells in the first signals.
  private static func lingering(_ demand: Subscribers.Demand) -> Probe.Behaviour {
    var behaviour = Probe.Behaviour()
    if demand != .none { behaviour.onSubscription = { $0.request(demand) } }
    behaviour.onValue = { probe, number in
      if number <= 3 { probe.linger() }
      return .none
    }
    behaviour.onEnd = { $0.linger() }
    return behaviour
  }

  /// Lets several threads ask for values, and feed the publisher, all at once.
  @Sendable
  private static func signalsFromSeveralThreads(_ trial: Trial) throws {
    let probe = try trial.attach(lingering(.none))
    let count = trial.count
    trial.elsewhere("request(_:)", probe, threads: trial.options.threads) { _ in
      probe.request(.max(count))
      trial.publisher.drive?()
    }
    try awaitEnd(trial, probe)
  }

  /// Waits for the end, however many values there are: requests may come too late for what is dropped without.
  private static func awaitEnd(_ trial: Trial, _ probe: Probe) throws {
    let completes = trial.options.completes
    try trial.waitFor(probe, "the end") { completes ? $0.ledger.ends > 0 : $0.ledger.received > 0 }
  }
}
