import Combine
import Foundation
import InterflowPrimitives

/// One run of a check on one thread: the functions that its script uses.
final class Trial: @unchecked Sendable {  // `lock` guards all variables.
  typealias Rule = PublisherVerification.Rule

  /// Ends a script after a breach has been recorded.
  struct Stop: Error {}

  /// More stack than one delivery needs, and far less than nested deliveries of many values need.
  static let allowedStackGrowth: UInt = 64 << 10

  let rule: Rule
  let setting: String
  let publisher: PublisherUnderTest
  /// How many values the publisher delivers; none if it fails.
  let count: Int
  let fails: Bool
  let round: Int
  let options: PublisherVerification.Options

  let threads: TrialThreads

  private let fresh: @Sendable () -> PublisherUnderTest
  private let rendezvous: Rendezvous?
  private let findings: Findings
  private let lock = Lock()
  private var probes: [Probe] = []
  private var driving: TrialThreads.Group?

  init(
    _ check: Check, setting: String, publisher: PublisherUnderTest, count: Int, round: Int,
    options: PublisherVerification.Options, fresh: @escaping @Sendable () -> PublisherUnderTest,
    rendezvous: Rendezvous?, threads: TrialThreads, findings: Findings
  ) {
    rule = check.rule
    self.setting = setting
    self.publisher = publisher
    self.count = count
    if case .failing = check.source { fails = true } else { fails = false }
    self.round = round
    self.options = options
    self.fresh = fresh
    self.rendezvous = rendezvous
    self.threads = threads
    self.findings = findings
  }

  // MARK: Findings

  func record(_ rule: Rule, _ message: String, _ probe: Probe?) {
    // What is found later may be the consequence of a call that has not returned.
    guard threads.isRunning else { return }
    findings.record(rule, message, setting: setting) { probe?.signals ?? [] }
  }

  /// Whether a rule is broken with as many threads as now.
  func isBroken(_ rule: Rule) -> Bool { findings[rule, setting] }

  private func recordMissed(_ rule: Rule, _ message: String, _ probe: Probe) {
    threads.waitLimit.missed()
    record(rule, message, probe)
  }

  /// Records a breach of the rule that is checked, and ends the script, unless a condition is true.
  func expect(_ condition: Bool, _ message: @autoclosure () -> String, _ probe: Probe) throws {
    if condition { return }
    record(rule, message(), probe)
    throw Stop()
  }

  /// Waits until a predicate is true; if it is not in time, that is a breach of the rule.
  ///
  /// Ends the script if the rule is broken meanwhile: what it waits for might not come.
  func waitFor(
    _ probe: Probe, _ what: String, breaking rule: Rule? = nil, _ predicate: (Probe.Snapshot) -> Bool
  ) throws {
    let wait = threads.beginWait()
    let broken = rule ?? self.rule
    let hasEnded = probe.wait(until: wait.end) { predicate($0) || isBroken(self.rule) }
    let sight = probe.now
    if predicate(sight) { return threads.end(wait) }
    if !hasEnded {
      let received = sight.ledger.received
      recordMissed(broken, "\(what) did not come within \(wait.duration), and \(received) values did", probe)
    }
    throw Stop()
  }

  // MARK: Subscribing

  func makeProbe(_ behaviour: Probe.Behaviour) -> Probe {
    let probe = Probe(behaviour, threads) { [findings, setting, threads, rule] probe, breach in
      guard threads.isRunning else { return }
      findings.record(breach.rule, breach.message, setting: setting) { probe.signals }
      // After this one the script does not end, so its rule cannot be one that is kept.
      guard breach.rule == .callsDuringRelease, !findings.isReported(breach.rule) else { return }
      findings.record(rule, breach.message, setting: setting) { probe.signals }
    }
    lock.lock()
    probes.append(probe)
    lock.unlock()
    return probe
  }

  /// What the subscriber saw that was made last.
  var signals: [String] {
    lock.lock()
    let last = probes.last
    lock.unlock()
    return last?.signals ?? []
  }

  /// Subscribes, and waits for the subscription.
  func attach(_ behaviour: Probe.Behaviour = Probe.Behaviour(), to other: PublisherUnderTest? = nil) throws -> Probe {
    let probe = makeProbe(behaviour)
    (other ?? publisher).subscribe(probe)
    let wait = threads.beginWait()
    guard probe.wait(until: wait.end, { $0.hasSubscription }) else {
      let message = "no subscription came within \(wait.duration)"
      recordMissed(.subscriptionComesFirst, message, probe)
      // Without one, the other checks would wait for signals that are not delivered.
      record(.everythingIsDelivered, message, probe)
      throw Stop()
    }
    threads.end(wait)
    return probe
  }

  /// Makes another publisher of the same kind, which only this thread uses.
  func anotherPublisher() -> PublisherUnderTest { fresh() }

  /// Calls the closure that makes the publisher deliver, once for all threads that check it.
  func drive() {
    guard let drive = publisher.drive else { return }
    guard let rendezvous else { return drive() }
    guard rendezvous.arrive() else { return }
    drive()
    rendezvous.proceed()
  }

  /// Makes another thread deliver while a signal is being received, and waits for what it delivers meanwhile: nothing,
  /// if signals are serial, and then it has not returned.
  func driveOnAnotherThread(during probe: Probe) {
    guard let drive = publisher.drive else { return }
    let signals = probe.now.ledger.signals
    let hasBegun = DispatchSemaphore(value: 0)
    let group = threads.start(1) { _ in
      hasBegun.signal()
      drive()
    }
    lock.lock()
    driving = group
    lock.unlock()
    // The moment below is the publisher's, and not the system's for starting a thread.
    if group != nil { hasBegun.wait() }
    lingerWhileDelivering(group, probe, since: signals)
  }

  /// Waits a moment for what other threads deliver while a signal is being received, and until they have returned if they
  /// do: otherwise they would meet this one in a publisher that has no lock. What a publisher without one is found to break
  /// can depend on whether a thread delivers within this time; what one with a lock is found to keep does not.
  func lingerWhileDelivering(_ group: TrialThreads.Group?, _ probe: Probe, since signals: Int) {
    probe.linger(0.05, since: signals)
    if let group, probe.now.ledger.signals != signals { _ = threads.wait(for: group, threads.beginWait()) }
  }

  var drivingGroup: TrialThreads.Group? {
    lock.lock()
    defer { lock.unlock() }
    return driving
  }

  /// Waits for everything that the publisher delivers.
  func finish(_ probe: Probe) throws {
    if fails {
      try waitFor(probe, "the failure") { $0.ledger.ends > 0 }
      return try expect(probe.now.hasFailed, "the publisher should have failed", probe)
    }
    let count = count
    if options.completes {
      try waitFor(probe, "the completion") { $0.ledger.ends > 0 }
    } else {
      try waitFor(probe, "value number \(count)") { $0.ledger.received >= count }
    }
    let received = probe.now.ledger.received
    // A publisher that does not complete may deliver more.
    try expect(received == count || !options.completes, "\(received) of \(count) values came", probe)
  }

  /// Waits for all values, if only these have been requested, and then requests one more for the completion: a
  /// publisher may need the request to find out that there are no more values.
  func finishRequested(_ probe: Probe) throws {
    let count = count
    try waitFor(probe, "value number \(count)") { $0.ledger.received >= count }
    probe.request(.max(1))
    try finish(probe)
  }

  /// Subscribes, requests unlimited demand, and waits for everything.
  @discardableResult
  func completeRun() throws -> Probe {
    let probe = try attach(.requesting(.unlimited))
    drive()
    try finish(probe)
    return probe
  }

  /// Waits for a signal that must not come, as long as another publisher of the same kind takes to deliver all signals.
  func gracePeriod() throws {
    let other = fresh()
    let probe = try attach(.requesting(.unlimited), to: other)
    other.drive?()
    let (count, ends) = (count, fails || options.completes)
    let wait = threads.beginWait()
    let isInTime = probe.wait(until: wait.end) { ends ? $0.ledger.ends > 0 : $0.ledger.received >= count }
    if !isInTime {
      recordMissed(.everythingIsDelivered, "not all came within \(wait.duration)", probe)
      throw Stop()
    }
    threads.end(wait)
  }

  /// Waits for a value that must not come yet, as long as another publisher of the same kind takes to deliver one.
  func gracePeriodOfASend() throws {
    let other = fresh()
    let probe = try attach(.requesting(.unlimited), to: other)
    onOtherThreads("a send", probe) { _ in other.send?() }
  }

  /// Waits until nothing refers to the subscriber.
  func awaitRelease(_ probe: Probe, after event: String) throws {
    let wait = threads.beginWait()
    if probe.wait(until: wait.end, { $0.isReleased }) { return threads.end(wait) }
    recordMissed(rule, "the subscriber was still referred to \(wait.duration) after \(event)", probe)
    throw Stop()
  }

  /// Whether a subscriber may make a request inside a signal: not if the publisher serves each with a nested call, until
  /// the stack overflows, or delivers more than there is, perhaps for as long as there are requests.
  func mayRequest(_ probe: Probe) -> Bool {
    let sight = probe.now.ledger
    return sight.stackGrowth <= Self.allowedStackGrowth && sight.received <= count
  }

  // MARK: Threads

  /// Runs a closure on other threads at once, and waits for them; if they do not return, that is a breach.
  ///
  /// Does nothing inside calls that are nested in each other on different threads.
  func onOtherThreads(
    _ what: String, _ probe: Probe, threads count: Int = 1, breaking rule: Rule? = nil,
    _ body: @escaping @Sendable (Int) -> Void
  ) {
    // If one such call has not returned, the others would not return either.
    let rule = rule ?? self.rule
    guard findings[rule].isEmpty, threads.isRunning, !threads.isNested else { return }
    guard let group = threads.start(count, body) else {
      record(rule, "\(what) led to more calls, until \(TrialThreads.limit) threads waited for each other", probe)
      return
    }
    awaitReturn(of: group, what, probe, breaking: rule)
  }

  /// Waits for other threads; if they do not return, that is a breach of the rule, and ends the script.
  func expectReturn(
    of group: TrialThreads.Group?, _ what: String, _ probe: Probe, breaking rule: Rule? = nil
  ) throws {
    if let group, !awaitReturn(of: group, what, probe, breaking: rule ?? self.rule) { throw Stop() }
  }

  @discardableResult
  private func awaitReturn(of group: TrialThreads.Group, _ what: String, _ probe: Probe, breaking rule: Rule) -> Bool {
    let wait = threads.beginWait()
    if threads.wait(for: group, wait) { return true }
    recordMissed(rule, "\(what) from another thread did not return within \(wait.duration)", probe)
    return false
  }

  /// Cancels and releases the subscriptions.
  func cleanUp() {
    lock.lock()
    let probes = self.probes
    self.probes = []
    lock.unlock()
    for probe in probes {
      if probe.now.ledger.ends == 0 { probe.cancel() }
      probe.releaseSubscription()
    }
  }
}
