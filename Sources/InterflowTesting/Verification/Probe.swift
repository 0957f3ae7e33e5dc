import Combine
import Foundation
import InterflowPrimitives

/// What the checks hold in hand of a subscriber: it keeps the ledger and the subscription, and waits for signals.
///
/// It does not hold the subscriber, so that a check can see when nothing else does either.
final class Probe: @unchecked Sendable {  // `condition` guards everything mutable.
  typealias Rule = PublisherVerification.Rule

  /// What the subscriber does from inside its methods, after the signal has been recorded.
  struct Behaviour {
    var onSubscription: (Probe) -> Void = { _ in }
    /// Gets the number of the value, from one, and returns how many more to ask for.
    var onValue: (Probe, Int) -> Subscribers.Demand = { _, _ in .none }
    var onEnd: (Probe) -> Void = { _ in }
    var onRelease: (Probe) -> Void = { _ in }

    /// Asks for so many values at once.
    static func asking(_ demand: Subscribers.Demand) -> Behaviour {
      var behaviour = Behaviour()
      behaviour.onSubscription = { $0.request(demand) }
      return behaviour
    }
  }

  let behaviour: Behaviour
  private let report: @Sendable (Probe, ProbeLedger.Breach) -> Void

  private let condition = NSCondition()
  private var ledger = ProbeLedger()
  private var log = SignalLog()
  private var subscription: (any Subscription)?
  private var isReleased = false
  private var endedWithFailure = false

  init(_ behaviour: Behaviour, report: @escaping @Sendable (Probe, ProbeLedger.Breach) -> Void) {
    self.behaviour = behaviour
    self.report = report
  }

  // MARK: What the subscriber tells

  func begins(_ signal: ProbeLedger.Signal, _ text: @autoclosure () -> String) {
    let thread = currentThreadIdentity()
    let address = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { UInt(bitPattern: $0.baseAddress) }
    let text = text()
    let breaches = condition.withLock {
      log.append("  \(text)", on: thread)
      defer { condition.broadcast() }
      return ledger.begins(signal, on: thread, stack: address)
    }
    for breach in breaches { report(self, breach) }
  }

  func returns(_ more: Subscribers.Demand = .none) {
    let thread = currentThreadIdentity()
    condition.withLock {
      ledger.returns(more, on: thread)
      if more != .none { log.append("  return \(more)", on: thread) }
      condition.broadcast()
    }
  }

  /// Keeps the subscription, unless there is one already, which is then the one that counts.
  func keep(_ subscription: any Subscription) {
    condition.withLock {
      if self.subscription == nil { self.subscription = subscription }
      condition.broadcast()
    }
  }

  func endsWithFailure() { condition.withLock { endedWithFailure = true } }

  func released() {
    condition.withLock {
      isReleased = true
      condition.broadcast()
    }
  }

  // MARK: What a check does

  func request(_ demand: Subscribers.Demand) {
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
  /// - Parameter rule: The rule that a later signal breaks, where none can be on its way.
  func cancel(expectingSilence rule: Rule? = nil) {
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

  /// Lets go of the subscription.
  func forget() {
    let subscription = condition.withLock { self.subscription.take() }
    withExtendedLifetime(subscription) {}
  }

  // MARK: What a check sees

  struct Sight {
    let ledger: ProbeLedger
    let isReleased: Bool
    let hasFailed: Bool
    let hasSubscription: Bool
  }

  private var sightWithLock: Sight {
    Sight(
      ledger: ledger, isReleased: isReleased, hasFailed: endedWithFailure, hasSubscription: subscription != nil)
  }

  var now: Sight { condition.withLock { sightWithLock } }

  var signals: [String] { condition.withLock { log.lines } }

  var subscriptionIdentifier: CombineIdentifier? { condition.withLock { subscription }?.combineIdentifier }

  /// Waits until something is so.
  ///
  /// - Returns: Whether it came to be so before the deadline.
  func wait(until deadline: Date, _ isSo: (Sight) -> Bool) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while !isSo(sightWithLock) {
      if !condition.wait(until: deadline) { return isSo(sightWithLock) }
    }
    return true
  }

  /// Gives another signal the chance to come while this one is being taken. It decides nothing: a publisher whose
  /// signals are serial brings none, however long this takes.
  func linger() {
    let signals = now.ledger.signals
    _ = wait(until: Date(timeIntervalSinceNow: 0.001)) { $0.ledger.signals != signals }
  }
}
