import Foundation

/// Runs the checks, each with publishers of its own, and makes the report.
final class Examination: Sendable {
  typealias Rule = PublisherVerification.Rule
  typealias Options = PublisherVerification.Options

  private let elements: Int
  private let options: Options
  private let make: @Sendable (Int) -> PublisherUnderTest
  private let failing: (@Sendable () -> PublisherUnderTest)?
  private let findings: Findings

  init(
    elements: Int, options: Options, make: @escaping @Sendable (Int) -> PublisherUnderTest,
    failing: (@Sendable () -> PublisherUnderTest)?
  ) {
    self.elements = elements
    self.options = options
    self.make = make
    self.failing = failing
    findings = Findings(options.rules.subtracting(options.exemptions.keys))
  }

  /// What a check is made with.
  private struct Plan {
    let count: Int
    let make: @Sendable () -> PublisherUnderTest
  }

  func run() -> VerificationReport {
    var (oneThread, severalThreads): (WorkerThreads?, WorkerThreads?)
    var reasons: [Rule: String] = options.exemptions
    var checked: Set<Rule> = []
    for check in Check.all where options.rules.contains(check.rule) && options.exemptions[check.rule] == nil {
      if !findings[.everythingIsDelivered].isEmpty {
        // Each of the other checks would wait until the deadline for signals that are not delivered.
        reasons[check.rule] = "as \(Rule.everythingIsDelivered.rawValue) is broken"
        continue
      }
      guard let plan = plan(check, &reasons) else { continue }
      if let script = check.withOneThread {
        run(check, plan, "one thread", [script], &oneThread)
        checked.insert(check.rule)
      }
      let rounds = options.threads > 1 ? min(options.rounds, check.needsOneRound ? 1 : .max) : 0
      for round in 0..<rounds where findings[check.rule].isEmpty {
        switch check.withSeveralThreads {
        case .same:
          let scripts = check.withOneThread.map { Array(repeating: $0, count: options.threads) } ?? []
          run(check, plan, "\(options.threads) threads", scripts, &severalThreads, round: round)
        case .script(let script):
          run(check, plan, "\(options.threads) threads", [script], &oneThread, round: round)
        }
        checked.insert(check.rule)
      }
      if !checked.contains(check.rule) { reasons[check.rule] = "it takes several threads to check" }
    }
    oneThread?.dismiss()
    severalThreads?.dismiss()
    return VerificationReport(publisher: make(0).name, outcomes: outcomes(checked, reasons))
  }

  private func outcomes(_ checked: Set<Rule>, _ reasons: [Rule: String]) -> [VerificationReport.Outcome] {
    Rule.allCases.filter(options.rules.contains).map { rule in
      let breaches = findings[rule]
      let verdict: VerificationReport.Verdict =
        if !breaches.isEmpty {
          .broken(breaches)
        } else if checked.contains(rule) {
          .kept
        } else {
          .notApplicable(reason: reasons[rule] ?? "it was not checked")
        }
      return VerificationReport.Outcome(rule: rule, verdict: verdict)
    }
  }

  /// What a check is made with; `nil` if it is not made, which adds the reason.
  private func plan(_ check: Check, _ reasons: inout [Rule: String]) -> Plan? {
    if check.needsCompletion, !options.completes {
      reasons[check.rule] = "the publisher does not complete"
      return nil
    }
    let wanted: Int
    switch check.source {
    case .some: wanted = elements
    case .number(let number): wanted = number
    case .many: wanted = options.manyElements
    case .failing:
      if failing == nil { reasons[check.rule] = "no publisher that fails was given" }
      return failing.map { Plan(count: 0, make: $0) }
    }
    let count = min(wanted, options.maximum ?? .max)
    guard count >= check.minimumCount else {
      reasons[check.rule] = "it takes \(check.minimumCount) values to check, and the publisher has \(count)"
      return nil
    }
    if check.needsSend, make(count).send == nil {
      reasons[check.rule] = "no closure that sends a value was given"
      return nil
    }
    return Plan(count: count) { [make] in make(count) }
  }

  /// Runs scripts together on one publisher.
  private func run(
    _ check: Check, _ plan: Plan, _ setting: String, _ scripts: [Check.Script], _ workers: inout WorkerThreads?,
    round: Int = 0
  ) {
    if scripts.isEmpty { return }
    let publisher = plan.make()
    let rendezvous = scripts.count > 1 ? Rendezvous(scripts.count) : nil
    let trials = scripts.map { _ in
      Trial(
        check, setting: setting, publisher: publisher, count: plan.count, round: round, options: options,
        fresh: plan.make, rendezvous: rendezvous, findings: findings)
    }
    let running = workers ?? WorkerThreads(scripts.count)
    workers = running
    // Longer than everything that a script waits for, so that only a call that does not return exceeds it.
    let deadline = Date(timeIntervalSinceNow: 4 * options.deadlineInSeconds)
    let hasReturned = running.run(until: deadline) { index in
      try? scripts[index](trials[index])
      rendezvous?.leave()
    }
    if hasReturned {
      for trial in trials { trial.cleanUp() }
    } else {
      trials[0].record(check.rule, "a call to the publisher did not return within \(options.deadline)", nil)
      workers = nil
    }
  }
}
