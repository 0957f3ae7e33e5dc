import InterflowPrimitives

/// Runs the checks, each with publishers of its own, and makes the report.
final class Examination: @unchecked Sendable {  // Only the thread that runs it uses the variables.
  typealias Rule = PublisherVerification.Rule
  typealias Options = PublisherVerification.Options

  private let elements: Int
  private let options: Options
  private let make: @Sendable (Int) -> PublisherUnderTest
  private let failing: (@Sendable () -> PublisherUnderTest)?
  private let findings: Findings
  /// What shows that the publisher is not safe with several threads, by rules that the options do not include.
  private let safetyFindings = Findings([])
  private let waitLimit: WaitLimit

  private var oneThread: WorkerThreads?
  private var severalThreads: WorkerThreads?
  private var checked: Set<Rule> = []
  private var reasons: [Rule: String]
  private var oneThreadReason: String?
  /// The broken rule for which others were not checked at all.
  private var preventingRule: Rule?
  private var canSend = false
  private var isOnlySentTo = false

  init(
    elements: Int, options: Options, make: @escaping @Sendable (Int) -> PublisherUnderTest,
    failing: (@Sendable () -> PublisherUnderTest)?
  ) {
    self.elements = elements
    var options = options
    options.threads = min(options.threads, TrialThreads.mostTogether)
    options.rounds = max(0, options.rounds)
    // What is longer is a date that Foundation cannot wait for.
    options.deadline = min(options.deadline, .seconds(1_000_000_000))
    self.options = options
    self.make = make
    self.failing = failing
    findings = Findings(options.rules.subtracting(options.exemptions.keys))
    waitLimit = WaitLimit(options.deadline)
    reasons = options.exemptions
  }

  /// What a check is made with.
  private struct Plan {
    let count: Int
    let make: @Sendable () -> PublisherUnderTest
  }

  func run() -> VerificationReport {
    if makesPublishers() {
      let included = Check.inOrder.filter { isIncluded($0.rule) }
      for check in included { runWithOneThread(check) }
      examineSafety(for: included)
      for check in included { runWithSeveralThreads(check) }
    }
    oneThread?.dismiss()
    severalThreads?.dismiss()
    return VerificationReport(
      publisher: findings.publisherName, outcomes: outcomes(), oneThreadReason: oneThreadReason)
  }

  private func isIncluded(_ rule: Rule) -> Bool { options.rules.contains(rule) && options.exemptions[rule] == nil }

  /// Makes a publisher, to know what it is. If that does not return, nothing can be checked.
  private func makesPublishers() -> Bool {
    let workers = WorkerThreads(1)
    let facts = Facts()
    let count = min(elements, options.maximum ?? .max)
    let hasMade = workers.run(TrialThreads(workers, waitLimit)) { [make] _ in facts.set(make(count)) }
    if hasMade, let made = facts.made {
      oneThread = workers
      findings.publisherName = made.name
      canSend = made.canSend
      isOnlySentTo = made.isOnlySentTo
      return true
    }
    let included = Rule.allCases.filter(isIncluded)
    for rule in included { reasons[rule] = "no publisher was made" }
    let rule = included.contains(.everythingIsDelivered) ? .everythingIsDelivered : included.first
    if let rule {
      let message = "the closure that makes the publisher did not return within \(waitLimit.duration)"
      findings.record(rule, message, setting: "one thread") { [] }
    }
    return false
  }

  /// What kind of publisher is checked.
  private final class Facts: @unchecked Sendable {  // `lock` guards `facts`.
    private let lock = Lock()
    private var facts: (name: String, canSend: Bool, isOnlySentTo: Bool)?

    func set(_ publisher: PublisherUnderTest) {
      lock.lock()
      facts = (publisher.name, publisher.send != nil, publisher.send != nil && publisher.drive == nil)
      lock.unlock()
    }

    var made: (name: String, canSend: Bool, isOnlySentTo: Bool)? {
      lock.lock()
      defer { lock.unlock() }
      return facts
    }
  }

  // MARK: The order of the checks

  private func runWithOneThread(_ check: Check) {
    guard let script = check.withOneThread, let plan = plan(check) else { return }
    run(check, plan, "one thread", [script], &oneThread, findings, waitLimit)
  }

  /// Checks that the publisher is safe with several threads, also if the options do not include these rules.
  private func examineSafety(for included: [Check]) {
    // One with a closure that sends, and none that makes it deliver everything, would be waited for until the deadline.
    guard options.threads > 1, brokenRuleOfSafety == nil, !isOnlySentTo else { return }
    guard included.contains(where: { findings[$0.rule].isEmpty && plan($0) != nil }) else { return }
    // What is found is not reported, and waits for itself only.
    let waitLimit = WaitLimit(options.deadline)
    for check in Check.all where ([.everythingIsDelivered] + Check.rulesOfSafety).contains(check.rule) {
      guard !options.rules.contains(check.rule), let script = check.withOneThread, let plan = plan(check) else {
        continue
      }
      run(check, plan, "one thread", [script], &oneThread, safetyFindings, waitLimit)
      // Where not everything is delivered, as by a publisher that only fails, the others would wait until the deadline.
      if brokenRuleOfSafety != nil || !safetyFindings[.everythingIsDelivered].isEmpty { return }
    }
  }

  private func runWithSeveralThreads(_ check: Check) {
    // That it is not safe says more than that it was not waited for.
    if check.withOneThread == nil, waitLimit.isExhausted, !isSafe(for: check) { return }
    guard let plan = plan(check) else {
      // A rule that was kept until then, was so with one thread.
      if options.threads > 1, checked.contains(check.rule), let reasonToEnd { oneThreadReason = reasonToEnd }
      return
    }
    guard options.threads > 1 else {
      if !checked.contains(check.rule) { reasons[check.rule] = "it takes several threads to check" }
      return
    }
    let rounds = min(options.rounds, check.needsOneRound ? 1 : .max)
    let setting = "\(options.threads) threads"
    for round in 0..<rounds where findings[check.rule].isEmpty && isSafe(for: check) {
      switch check.withSeveralThreads {
      case .same:
        let scripts = check.withOneThread.map { Array(repeating: $0, count: options.threads) } ?? []
        run(check, plan, setting, scripts, &severalThreads, findings, waitLimit, round: round)
      case .script(let script):
        run(check, plan, setting, [script], &oneThread, findings, waitLimit, round: round)
      case .never:
        break
      }
    }
  }

  private var brokenRuleOfSafety: Rule? {
    Check.rulesOfSafety.first { rule in
      options.exemptions[rule] == nil && !(findings[rule].isEmpty && safetyFindings[rule].isEmpty)
    }
  }

  /// Whether several threads can use the publisher; if not, adds the reason why a check was not made.
  private func isSafe(for check: Check) -> Bool {
    guard let broken = brokenRuleOfSafety else { return true }
    // A rule that is broken with one thread is reported as such.
    if !findings[check.rule].isEmpty { return false }
    let reason = "it might corrupt memory, as \(broken.rawValue) is broken"
    reasons[check.rule] = reason
    oneThreadReason = reason
    if !checked.contains(check.rule) { preventingRule = broken }
    return false
  }

  private func outcomes() -> [VerificationReport.Outcome] {
    // Without the breach, a rule that was not checked for it would seem to be in order.
    Rule.allCases.filter { options.rules.contains($0) || $0 == preventingRule }.map { rule in
      let breaches = findings[rule]
      let verdict: VerificationReport.Verdict =
        if !options.rules.contains(rule) {
          .broken(safetyFindings[rule] + breaches)
        } else if !breaches.isEmpty, findings.isReported(rule) {
          .broken(breaches)
        } else if checked.contains(rule) {
          .kept
        } else {
          .notApplicable(reason: reasons[rule] ?? "it was not checked")
        }
      return VerificationReport.Outcome(rule: rule, verdict: verdict)
    }
  }

  /// Why no further checks are made.
  private var reasonToEnd: String? {
    if options.exemptions[.everythingIsDelivered] == nil, !findings[.everythingIsDelivered].isEmpty {
      // Each of the other checks would wait for signals that are not delivered.
      return "as \(Rule.everythingIsDelivered.rawValue) is broken"
    }
    return waitLimit.isExhausted ? "as \(WaitLimit.allowedMisses) waits timed out" : nil
  }

  /// What a check is made with; `nil` if it is not made, which adds the reason.
  private func plan(_ check: Check) -> Plan? {
    if let reasonToEnd {
      reasons[check.rule] = reasonToEnd
      return nil
    }
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
    if check.needsSend, !canSend {
      reasons[check.rule] = "no closure that sends a value was given"
      return nil
    }
    return Plan(count: count) { [make] in make(count) }
  }

  // MARK: Running a check

  /// Runs scripts together on one publisher.
  private func run(
    _ check: Check, _ plan: Plan, _ setting: String, _ scripts: [Check.Script], _ workers: inout WorkerThreads?,
    _ findings: Findings, _ waitLimit: WaitLimit, round: Int = 0
  ) {
    if scripts.isEmpty { return }
    if findings === self.findings { checked.insert(check.rule) }
    let running = workers ?? WorkerThreads(scripts.count)
    workers = running
    let threads = TrialThreads(running, waitLimit)
    let checkRun = CheckRun(
      check, setting: setting, scripts: scripts, round: round, options: options, count: plan.count, make: plan.make,
      threads: threads, findings: findings)
    let duration = waitLimit.duration
    if running.run(threads, checkRun.run) {
      // What still comes does not count, and must not go on without end.
      _ = threads.giveUp()
      return
    }
    workers = nil
    // A run that was stopped has recorded why.
    guard threads.giveUp() else { return }
    waitLimit.missed()
    findings.record(check.rule, "a call to the publisher did not return within \(duration)", setting: setting) {
      checkRun.signals
    }
  }
}
