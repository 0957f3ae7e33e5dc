import Combine
import Foundation

extension Check {
  static let cancellation: [Check] = [
    Check(.nothingFollowsCancel) { trial in
      try cancelled(trial) { $0.cancel(expectingSilence: .nothingFollowsCancel) }
    },
    Check(.cancelFromAnotherThread) { trial in
      try cancelled(trial) { probe in
        trial.onOtherThreads("cancel()", probe) { _ in probe.cancel(expectingSilence: .cancelFromAnotherThread) }
      }
    },
    Check(.cancelBeforeRequest) { trial in
      var behaviour = Probe.Behaviour()
      behaviour.onSubscription = { probe in
        probe.cancel(expectingSilence: .cancelBeforeRequest)
        probe.request(.unlimited)
      }
      _ = try trial.attach(behaviour)
      trial.drive()
      try trial.gracePeriod()
    },
    Check(.cancelBeforeRequest) { trial in
      // A thread that had begun to deliver at the cancellation will not do so each time.
      var isLate = try cancelledBeforeRequest(trial, trial.publisher) { trial.drive() }
      var repetitions = 0
      while isLate != nil, repetitions < 20 {
        let another = trial.anotherPublisher()
        isLate = try cancelledBeforeRequest(trial, another) { another.drive?() }
        repetitions += 1
      }
      if let probe = isLate {
        try trial.expect(false, "a signal came after cancel() had returned, \(repetitions + 1) times in a row", probe)
      }
    },
    Check(
      .cancelTwice,
      withSeveralThreads: .script { trial in
        try cancelled(trial) { probe in
          trial.onOtherThreads("cancel()", probe, threads: trial.options.threads) { _ in probe.cancel() }
          probe.expectSilence(under: .cancelTwice)
        }
      },
      withOneThread: { trial in
        let probe = try cancelled(trial) { probe in
          probe.cancel()
          probe.cancel(expectingSilence: .cancelTwice)
        }
        probe.cancel()
      }),
    Check(.cancelLeavesOthersAlone, minimumCount: 2) { trial in
      var behaviour = Probe.Behaviour.requesting(.unlimited)
      behaviour.onValue = { probe, _ in
        probe.cancel()
        probe.cancel()
        return .none
      }
      let leaving = try trial.attach(behaviour)
      let staying = try trial.attach(.requesting(.unlimited))
      trial.drive()
      try trial.waitFor(leaving, "a value") { $0.ledger.received > 0 }
      try trial.finish(staying)
    },
    Check(.requestAfterCancel) { trial in
      let probe = try cancelled(trial) { probe in
        probe.cancel(expectingSilence: .requestAfterCancel)
        probe.request(.unlimited)
      }
      probe.request(.max(1))
      trial.drive()
      try trial.gracePeriod()
    },
    Check(.requestAfterEnd, minimumCount: 0, needsCompletion: true) { trial in
      let probe = try trial.completeRun()
      probe.expectSilence(under: .requestAfterEnd)
      probe.request(.unlimited)
      probe.cancel()
      probe.request(.max(1))
      probe.cancel()
      try trial.gracePeriod()
    },
    Check(
      .cancelDuringDelivery, source: .many, minimumCount: 100, withSeveralThreads: .script(Check.cancelAmidstValues),
      withOneThread: nil),
  ]

  /// Cancels before it requests anything, and waits for signals that might follow.
  ///
  /// - Returns: The probe, if a signal came whose delivery may have begun before.
  @Sendable
  private static func cancelledBeforeRequest(
    _ trial: Trial, _ publisher: PublisherUnderTest, drive: () -> Void
  ) throws -> Probe? {
    let probe = try trial.attach(to: publisher)
    probe.cancel()
    probe.request(.unlimited)
    drive()
    try trial.gracePeriod()
    let ledger = probe.now.ledger
    try trial.expect(
      ledger.signalsAfterCancelOnSameThread == 0, "a signal came on the thread on which cancel() had returned", probe)
    try trial.expect(
      ledger.signalsAfterCancel <= 1, "\(ledger.signalsAfterCancel) signals came after cancel() had returned", probe)
    return ledger.signalsAfterCancel == 0 ? nil : probe
  }

  /// Requests unlimited demand, cancels inside the first value, and waits for signals that might follow.
  @Sendable
  @discardableResult
  private static func cancelled(_ trial: Trial, _ cancel: @escaping (Probe) -> Void) throws -> Probe {
    var behaviour = Probe.Behaviour.requesting(.unlimited)
    behaviour.onValue = { probe, number in
      if number == 1 { cancel(probe) }
      return .none
    }
    let probe = try trial.attach(behaviour)
    trial.drive()
    try trial.waitFor(probe, "a value") { $0.ledger.received > 0 }
    try trial.gracePeriod()
    return probe
  }

  /// One thread receives values, one cancels, and the others request more.
  @Sendable
  private static func cancelAmidstValues(_ trial: Trial) throws {
    let amidst = 1 + trial.round * 7 % 50
    var behaviour = Probe.Behaviour.requesting(.unlimited)
    behaviour.onValue = { probe, number in
      // In every other round the delivery waits until the cancellation has returned.
      if trial.round.isMultiple(of: 2), number > amidst, number < amidst + 20 {
        _ = probe.wait(until: Date(timeIntervalSinceNow: 0.05)) { $0.ledger.isCancelled }
      }
      return .none
    }
    let probe = trial.makeProbe(behaviour)
    let isAmidst: @Sendable (Probe.Snapshot) -> Bool = { $0.ledger.received >= amidst || $0.ledger.ends > 0 }
    let isStuck = trial.threads.beginWait().end
    trial.onOtherThreads("cancel()", probe, threads: max(3, trial.options.threads)) { index in
      if index == 0 {
        trial.publisher.subscribe(probe)
        _ = probe.wait(until: isStuck) { $0.hasSubscription }
        trial.publisher.drive?()
      } else if probe.wait(until: isStuck, index == 1 ? isAmidst : { $0.hasSubscription }) {
        if index == 1 { probe.cancel() } else { for _ in 0..<20 { probe.request(.max(1)) } }
      }
    }
    try trial.gracePeriod()
    let late = probe.now.ledger.signalsAfterCancel
    try trial.expect(late <= 1, "\(late) signals came after cancel() had returned", probe)
  }
}
