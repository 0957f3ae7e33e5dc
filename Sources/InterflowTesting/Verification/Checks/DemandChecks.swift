import Combine

extension Check {
  /// More of the stack than one delivery takes, and far less than one delivery inside the other does for many values.
  private static let allowedStackGrowth: UInt = 64 << 10

  static let demand: [Check] = [
    Check(.valuesNeverExceedDemand, fewest: 2) { trial in
      let some = trial.count / 2
      let probe = try trial.attach(.asking(.max(some)))
      trial.drive()
      try trial.waitFor(probe, "value number \(some)") { $0.ledger.received >= some }
      try trial.grace()
      guard case .waits = trial.options.surplus else { return }
      probe.request(.max(trial.count - some))
      try trial.finishAsked(probe)
    },
    Check(.requestsAddUp, fewest: 3) { trial in
      var behaviour = Probe.Behaviour.asking(.max(1))
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
    Check(.returnedDemandCounts, fewest: 2) { trial in
      var behaviour = Probe.Behaviour.asking(.max(1))
      behaviour.onValue = { _, _ in .max(1) }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.finish(probe)
    },
    Check(.requestInsideSubscription) { trial in
      let probe = try trial.attach(.asking(.max(trial.count)))
      trial.drive()
      try trial.finishAsked(probe)
    },
    Check(.requestInsideValue, fewest: 2) { trial in
      var behaviour = Probe.Behaviour.asking(.max(1))
      behaviour.onValue = { probe, _ in
        probe.request(.max(1))
        return .none
      }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.finish(probe)
    },
    Check(.requestsDoNotRecurse, source: .many, fewest: 1_000, isSeenAtOnce: true) { trial in
      var behaviour = Probe.Behaviour.asking(.max(1))
      behaviour.onValue = { probe, number in
        // Whoever recurses is not driven into the end of the stack.
        if probe.now.ledger.stackGrowth > allowedStackGrowth { return .none }
        if number.isMultiple(of: 4) { return .max(1) }
        probe.request(.max(1))
        return .none
      }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.waitFor(probe, "the end") {
        $0.ledger.ends > 0 || $0.ledger.received == trial.count || $0.ledger.stackGrowth > allowedStackGrowth
      }
      let sight = probe.now.ledger
      try trial.expect(
        sight.stackGrowth <= allowedStackGrowth,
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
    Check(.requestsFromAnyThread, source: .number(64), fewest: 2, crowd: .script(Check.requestsAtOnce), alone: nil),
  ]

  @Sendable
  private static func requestsAtOnce(_ trial: Trial) throws {
    let probe = try trial.attach()
    let (count, threads) = (trial.count, trial.options.threads)
    trial.elsewhere("request(_:)", probe, threads: threads) { index in
      for number in 0..<count where number % threads == index { probe.request(.max(1)) }
    }
    trial.drive()
    try trial.finishAsked(probe)
  }
}
