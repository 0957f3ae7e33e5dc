import Combine

extension Check {
  static let demand: [Check] = [
    Check(.valuesNeverExceedDemand, minimumCount: 2) { trial in
      let some = trial.count / 2
      let probe = try trial.attach(.requesting(.max(some)))
      trial.drive()
      try trial.waitFor(probe, "value number \(some)") { $0.ledger.received >= some }
      try trial.gracePeriod()
      guard case .waits = trial.options.surplus else { return }
      probe.request(.max(trial.count - some))
      try trial.finishRequested(probe)
    },
    Check(.requestsAddUp, minimumCount: 3) { trial in
      var behaviour = Probe.Behaviour.requesting(.max(1))
      behaviour.onValue = { probe, number in
        if number == 1 {
          probe.request(.max(1))
          probe.request(.max(1))
        }
        return .none
      }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.waitFor(probe, "value number 3") { $0.ledger.received >= 3 }
    },
    Check(.returnedDemandCounts, minimumCount: 2) { trial in
      var behaviour = Probe.Behaviour.requesting(.max(1))
      behaviour.onValue = { _, _ in .max(1) }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.finish(probe)
    },
    Check(.requestInsideSubscription) { trial in
      let probe = try trial.attach(.requesting(.max(trial.count)))
      trial.drive()
      try trial.finishRequested(probe)
    },
    Check(.requestInsideValue, minimumCount: 2) { trial in
      var behaviour = Probe.Behaviour.requesting(.max(1))
      behaviour.onValue = { probe, _ in
        guard trial.mayRequest(probe) else { return .max(1) }
        probe.request(.max(1))
        return .none
      }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.finish(probe)
    },
    Check(.requestsDoNotRecurse, source: .many, minimumCount: 1_000, needsOneRound: true) { trial in
      var behaviour = Probe.Behaviour.requesting(.max(1))
      behaviour.onValue = { probe, number in
        guard trial.mayRequest(probe) else { return .none }
        if number.isMultiple(of: 4) { return .max(1) }
        probe.request(.max(1))
        return .none
      }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.waitFor(probe, "the end") {
        $0.ledger.ends > 0 || $0.ledger.received == trial.count || $0.ledger.stackGrowth > Trial.allowedStackGrowth
      }
      let sight = probe.now.ledger
      try trial.expect(
        sight.stackGrowth <= Trial.allowedStackGrowth,
        "the stack grew by \(sight.stackGrowth >> 10) KiB over \(sight.received) values", probe)
    },
    Check(.demandDoesNotOverflow) { trial in
      var behaviour = Probe.Behaviour()
      behaviour.onSubscription = { probe in
        for demand in [.max(.max), .max(.max), .max(1), .unlimited, .max(1)] as [Subscribers.Demand] {
          probe.request(demand)
        }
      }
      behaviour.onValue = { _, number in number.isMultiple(of: 2) ? .max(.max) : .unlimited }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.finish(probe)
    },
    Check(
      .requestsFromAnyThread, source: .number(64), minimumCount: 2, withSeveralThreads: .script(Check.requestsAtOnce),
      withOneThread: nil),
  ]

  @Sendable
  private static func requestsAtOnce(_ trial: Trial) throws {
    let probe = try trial.attach()
    let (count, threads) = (trial.count, trial.options.threads)
    // Where values are joined with the latest of other publishers, one that comes before all of them have a value is not
    // delivered. With the first request, they have.
    probe.request(.max(1))
    trial.onOtherThreads("request(_:)", probe, threads: threads) { index in
      for number in 1..<count where number % threads == index { probe.request(.max(1)) }
    }
    trial.drive()
    try trial.finishRequested(probe)
  }
}
