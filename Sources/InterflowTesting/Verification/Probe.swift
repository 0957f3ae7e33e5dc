import Combine
import Foundation
import InterflowPrimitives

/// The part of a test subscriber that the checks use: the ledger, the subscription, and waiting for signals.
///
/// It does not retain the subscriber, so that a check can see when the subscriber is released.
final class Probe: @unchecked Sendable {  // `condition` guards all variables.
  typealias Rule = PublisherVerification.Rule

  /// What the subscriber does from inside its methods, after the signal has been recorded.
  struct Behaviour {
    /// Called for the first subscriptions, at most ``mostCalls``.
    var onSubscription: (Probe) -> Void = { _ in }
    /// Receives the number of the value, from one, and returns the demand.
    var onValue: (Probe, Int) -> Subscribers.Demand = { _, _ in .none }
    /// Called for the first completions, at most ``mostCalls``.
    var onEnd: (Probe) -> Void = { _ in }
    var onRelease: (Probe) -> Void = { _ in }

    /// A publisher may send subscriptions and completions without end. So many are more than the threads that may be
    /// waiting for each other.
    static let mostCalls = 2 * TrialThreads.limit

    /// Requests demand when it receives the subscription.
    static func requesting(_ demand: Subscribers.Demand) -> Behaviour {
      var behaviour = Behaviour()
      behaviour.onSubscription = { $0.request(demand) }
      return behaviour
    }
  }

  let behaviour: Behaviour
  private let threads: TrialThreads
  private let report: @Sendable (Probe, ProbeLedger.Breach) -> Void

  private let condition = NSCondition()
  private var ledger = ProbeLedger()
  private var log = SignalLog()
  private var subscription: (any Subscription)?
  private var releases = 0
  private var isReleased = false
  private var isUsedDuringRelease = false
  private var endedWithFailure = false

  init(
    _ behaviour: Behaviour, _ threads: TrialThreads, report: @escaping @Sendable (Probe, ProbeLedger.Breach) -> Void
  ) {
    self.behaviour = behaviour
    self.threads = threads
    self.report = report
  }

  // MARK: Called by the subscriber

  /// - Returns: The number of the signal among those of its kind, from one; `nil` if it is discarded.
  func begins(_ signal: ProbeLedger.Signal, _ text: @autoclosure () -> String) -> Int? {
    guard threads.signalBegins() else { return nil }
    let thread = currentThreadIdentity()
    let address = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { UInt(bitPattern: $0.baseAddress) }
    let text = text()
    let (breaches, number, isBeingReleased) = condition.withLock {
      log.append("  \(text)", on: thread)
      defer { condition.broadcast() }
      if releases > 0 { isUsedDuringRelease = true }
      return (ledger.begins(signal, on: thread, stack: address), ledger.count(of: signal), releases > 0)
    }
    for breach in breaches { report(self, breach) }
    guard isBeingReleased else { return number }
    stop("a signal came while the subscriber was deallocated")
    return nil
  }

  func returns(_ more: Subscribers.Demand = .none) {
    let thread = currentThreadIdentity()
    condition.withLock {
      ledger.returns(more, on: thread)
      if more != .none { log.append("  return \(more)", on: thread) }
      condition.broadcast()
    }
  }

  /// Stores the subscription, unless there is one already.
  func store(_ subscription: any Subscription) {
    condition.withLock {
      if self.subscription == nil { self.subscription = subscription }
      condition.broadcast()
    }
  }

  func endsWithFailure() { condition.withLock { endedWithFailure = true } }

  /// The subscriber's `deinit` begins.
  func releaseBegins() {
    threads.mayGoOn()
    let number = condition.withLock {
      releases += 1
      if releases > 1 { isUsedDuringRelease = true }
      return releases
    }
    guard number > 1 else { return }
    stop("the subscriber was deallocated twice, as a call used it again while it was deallocated")
    TrialThreads.park()
  }

  /// The subscriber's `deinit` ends. It does not return if a thread uses the subscriber: its memory must not be reused.
  func released() {
    let isUsed = condition.withLock {
      isReleased = true
      condition.broadcast()
      return isUsedDuringRelease
    }
    if isUsed { TrialThreads.park() }
  }

  /// Stops the run: its threads would go on with memory that is no longer the subscriber's.
  private func stop(_ message: String) {
    report(self, ProbeLedger.Breach(rule: .callsDuringRelease, message: message))
    threads.stop()
  }

  // MARK: Actions of a check

  func request(_ demand: Subscribers.Demand) {
    guard threads.mayGoOn() else { return }
    let thread = currentThreadIdentity()
    let subscription = condition.withLock {
      ledger.requests(demand, on: thread)
      log.append("request(\(demand))", on: thread)
      return self.subscription
    }
    subscription?.request(demand)
  }

  /// Cancels.
  ///
  /// - Parameter rule: The rule that a later signal breaks, if no delivery can have begun before.
  func cancel(expectingSilence rule: Rule? = nil) {
    guard threads.mayGoOn() else { return }
    let thread = currentThreadIdentity()
    let subscription = condition.withLock {
      log.append("cancel()", on: thread)
      return self.subscription
    }
    subscription?.cancel()
    condition.withLock {
      ledger.cancelled(on: thread)
      if let rule { ledger.expectsSilence(under: rule) }
      log.append("cancel() returned", on: thread)
      condition.broadcast()
    }
  }

  /// From now on any signal breaks a rule.
  func expectSilence(under rule: Rule) { condition.withLock { ledger.expectsSilence(under: rule) } }

  /// Releases the subscription.
  func releaseSubscription() {
    let subscription = condition.withLock { self.subscription.take() }
    releaseOutsideLock(subscription)
  }

  // MARK: State for a check

  struct Snapshot {
    let ledger: ProbeLedger
    let isReleased: Bool
    let hasFailed: Bool
    let hasSubscription: Bool
  }

  /// With `condition` locked.
  private var lockedSnapshot: Snapshot {
    Snapshot(
      ledger: ledger, isReleased: isReleased, hasFailed: endedWithFailure, hasSubscription: subscription != nil)
  }

  var now: Snapshot { condition.withLock { lockedSnapshot } }

  var signals: [String] { condition.withLock { log.lines } }

  var subscriptionIdentifier: CombineIdentifier? { condition.withLock { subscription }?.combineIdentifier }

  /// Waits until a predicate is true.
  ///
  /// - Returns: Whether it was true before the deadline.
  func wait(until deadline: Date, _ predicate: (Snapshot) -> Bool) -> Bool {
    defer { threads.mayGoOn() }
    condition.lock()
    defer { condition.unlock() }
    while !predicate(lockedSnapshot) {
      if !condition.wait(until: deadline) { return predicate(lockedSnapshot) }
    }
    return true
  }

  /// Waits a moment for another signal while one is being received. No result depends on the time: if signals are
  /// serial, none is delivered however long this takes.
  func linger() { linger(0.001, since: now.ledger.signals) }

  /// Waits for another signal than the first ones, so many seconds.
  func linger(_ seconds: Double, since signals: Int) {
    _ = wait(until: Date(timeIntervalSinceNow: seconds)) { $0.ledger.signals != signals }
  }
}
