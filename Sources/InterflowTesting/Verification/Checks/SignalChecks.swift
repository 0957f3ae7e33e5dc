import Combine

extension Check {
  static let signals: [Check] = [
    Check(.everythingIsDelivered, minimumCount: 0) { try $0.completeRun() },
    Check(.subscriptionComesFirst, minimumCount: 0) { try $0.completeRun() },
    Check(.subscriptionComesOnce, minimumCount: 0) { try $0.completeRun() },
    Check(.signalsAreSerial, withSeveralThreads: .script(Check.signalsFromSeveralThreads)) { trial in
      let probe = try trial.attach(lingering(.unlimited))
      trial.drive()
      try trial.finish(probe)
    },
    Check(.signalsAreSerial, minimumCount: 2) { trial in
      var behaviour = Probe.Behaviour.requesting(.max(1))
      behaviour.onValue = { probe, _ in
        guard trial.mayRequest(probe) else { return .none }
        // A publisher that serves a request on the requesting thread delivers on two threads now.
        trial.onOtherThreads("request(_:)", probe, breaking: .requestDuringASignal) { _ in probe.request(.max(1)) }
        return .none
      }
      let probe = try trial.attach(behaviour)
      trial.drive()
      // Without further requests there is no end. That it does not come otherwise means that one was lost.
      if trial.isBroken(.requestDuringASignal) { return }
      try awaitEnd(trial, probe, breaking: .requestsFromAnyThread)
    },
    Check(.signalsAreSerial, minimumCount: 2, withSeveralThreads: .never, withOneThread: driveDuringAValue),
    Check(.signalsWaitForTheSubscription) { trial in
      var behaviour = Probe.Behaviour()
      behaviour.onSubscription = { probe in
        probe.request(.unlimited)
        // For a publisher that takes some time to begin.
        for _ in 0..<2 { probe.linger() }
      }
      let probe = try trial.attach(behaviour)
      trial.drive()
      try trial.finish(probe)
    },
    Check(.endComesOnce, minimumCount: 0, needsCompletion: true, withOneThread: driveAgain),
    Check(.nothingFollowsTheEnd, minimumCount: 0, needsCompletion: true, withOneThread: driveAgain),
    Check(.completionNeedsNoDemand, source: .number(0), minimumCount: 0, needsCompletion: true) { trial in
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
      try trial.gracePeriod()
    },
    Check(.eachSubscriberIsServed) { trial in
      let first = try trial.attach(.requesting(.unlimited))
      let second = try trial.attach(.requesting(.unlimited))
      let areTwo = first.subscriptionIdentifier != second.subscriptionIdentifier
      try trial.expect(areTwo, "two subscribers got one subscription", second)
      trial.drive()
      try trial.finish(first)
      try trial.finish(second)
    },
  ]

  /// Makes the publisher deliver again, with demand, after the completion.
  @Sendable
  private static func driveAgain(_ trial: Trial) throws {
    _ = try trial.completeRun()
    trial.drive()
    try trial.gracePeriod()
  }

  /// Waits inside the first signals.
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

  /// Makes several threads request values, and send to the publisher, all at once.
  @Sendable
  private static func signalsFromSeveralThreads(_ trial: Trial) throws {
    let probe = try trial.attach(lingering(.none))
    let count = trial.count
    trial.onOtherThreads("request(_:)", probe, threads: trial.options.threads) { _ in
      // One more than this thread sends: the completion may wait for a request, as behind a buffer.
      probe.request(.max(count + 1))
      trial.publisher.drive?()
    }
    try awaitEnd(trial, probe)
  }

  /// Makes another thread send to the publisher while a value is being received. A publisher that lets that thread
  /// deliver at once does so while nothing else uses it: if it has no lock, this shows before threads really meet.
  @Sendable
  private static func driveDuringAValue(_ trial: Trial) throws {
    guard trial.publisher.drive != nil else { return }
    var behaviour = Probe.Behaviour.requesting(.unlimited)
    behaviour.onValue = { probe, number in
      if number == 1 { trial.driveOnAnotherThread(during: probe) }
      return .none
    }
    let probe = try trial.attach(behaviour)
    trial.drive()
    try awaitEnd(trial, probe, breaking: .sendDuringASignalWaits)
    try trial.expectReturn(of: trial.drivingGroup, "sending", probe, breaking: .sendDuringASignalWaits)
  }

  /// Waits for the completion, however many values are delivered: values may be dropped before they are requested.
  private static func awaitEnd(
    _ trial: Trial, _ probe: Probe, breaking rule: PublisherVerification.Rule? = nil
  ) throws {
    let completes = trial.options.completes
    try trial.waitFor(probe, "the end", breaking: rule) { completes ? $0.ledger.ends > 0 : $0.ledger.received > 0 }
  }
}
