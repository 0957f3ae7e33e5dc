import Combine
import Foundation
import InterflowPrimitives

/// One run of a check on one thread: the functions that its script uses.
final class Trial: @unchecked Sendable {  // `lock` guards `probes`, the only variable.
  typealias Rule = PublisherVerification.Rule

  /// Ends a script after a breach has been recorded.
  struct Stop: Error {}

  let rule: Rule
  let setting: String
  let publisher: PublisherUnderTest
  /// How many values the publisher delivers; none if it fails.
  let count: Int
  let fails: Bool
  let round: Int
  let options: PublisherVerification.Options

  private let fresh: @Sendable () -> PublisherUnderTest
  private let rendezvous: Rendezvous?
  private let findings: Findings
  private let lock = Lock()
  private var probes: [Probe] = []

  init(
    _ check: Check, setting: String, publisher: PublisherUnderTest, count: Int, round: Int,
    options: PublisherVerification.Options, fresh: @escaping @Sendable () -> PublisherUnderTest,
    rendezvous: Rendezvous?, findings: Findings
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
    self.findings = findings
  }

  private var deadline: Date { Date(timeIntervalSinceNow: options.deadlineInSeconds) }

  // MARK: Findings

  func record(_ rule: Rule, _ message: String, _ probe: Probe?) {
    findings.record(rule, message, setting: setting, signals: probe?.signals ?? [])
  }

  /// Records a breach of the rule that is checked, and ends the script, unless a condition is true.
  func expect(_ condition: Bool, _ message: @autoclosure () -> String, _ probe: Probe) throws {
    if condition { return }
    record(rule, message(), probe)
    throw Stop()
  }

  /// Waits until a predicate is true; if the deadline passes before, that is a breach of the rule.
  func waitFor(_ probe: Probe, _ what: String, _ predicate: (Probe.Snapshot) -> Bool) throws {
    let isInTime = probe.wait(until: deadline, predicate)
    let received = probe.now.ledger.received
    try expect(isInTime, "\(what) did not come within \(options.deadline), and \(received) values did", probe)
  }

  // MARK: Subscribing

  func makeProbe(_ behaviour: Probe.Behaviour) -> Probe {
    let probe = Probe(behaviour) { [findings, setting] probe, breach in
      findings.record(breach.rule, breach.message, setting: setting, signals: probe.signals)
    }
    lock.lock()
    probes.append(probe)
    lock.unlock()
    return probe
  }

  /// Subscribes, and waits for the subscription.
  func attach(_ behaviour: Probe.Behaviour = Probe.Behaviour(), to other: PublisherUnderTest? = nil) throws -> Probe {
    let probe = makeProbe(behaviour)
    (other ?? publisher).subscribe(probe)
    guard probe.wait(until: deadline, { $0.hasSubscription }) else {
      record(.subscriptionComesFirst, "no subscription came within \(options.deadline)", probe)
      throw Stop()
    }
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
    let isInTime = probe.wait(until: deadline) { ends ? $0.ledger.ends > 0 : $0.ledger.received >= count }
    if !isInTime {
      record(.everythingIsDelivered, "not all came within \(options.deadline)", probe)
      throw Stop()
    }
  }

  /// Waits for a value that must not come yet, as long as another publisher of the same kind takes to deliver one.
  func gracePeriodOfASend() throws {
    let other = fresh()
    let probe = try attach(.requesting(.unlimited), to: other)
    onOtherThreads("a send", probe) { _ in other.send?() }
  }

  /// Waits until nothing refers to the subscriber.
  func awaitRelease(_ probe: Probe, after event: String) throws {
    let isInTime = probe.wait(until: deadline) { $0.isReleased }
    try expect(isInTime, "the subscriber was still referred to \(options.deadline) after \(event)", probe)
  }

  // MARK: Threads

  /// Runs a closure on other threads at once, and waits for them; if they do not return, that is a breach.
  func onOtherThreads(
    _ what: String, _ probe: Probe, threads: Int = 1, breaking rule: Rule? = nil,
    _ body: @escaping @Sendable (Int) -> Void
  ) {
    // If one such call has not returned, the others would not return either.
    let rule = rule ?? self.rule
    guard findings[rule].isEmpty else { return }
    let group = DispatchGroup()
    for index in 0..<threads {
      group.enter()
      let thread = Thread {
        body(index)
        group.leave()
      }
      thread.stackSize = 16 << 20
      thread.start()
    }
    if group.wait(timeout: .now() + options.deadlineInSeconds) == .success { return }
    record(rule, "\(what) from another thread did not return within \(options.deadline)", probe)
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

extension PublisherVerification.Options {
  var deadlineInSeconds: Double {
    Double(deadline.components.seconds) + Double(deadline.components.attoseconds) * 1e-18
  }
}
