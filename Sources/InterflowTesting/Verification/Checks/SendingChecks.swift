import Foundation
import InterflowPrimitives

/// Checks that a value sent while another thread delivers is delivered after that, and on the sending thread.
extension Check {
  static let sending: [Check] = [
    Check(
      .sendDuringASignalWaits, minimumCount: 2, needsSend: true,
      withSeveralThreads: .script { try sendDuringAValue($0, threads: $0.options.threads) },
      withOneThread: { try sendDuringAValue($0, threads: 1) })
  ]

  /// Sends a value, and makes several threads send one each while it is being received.
  private static func sendDuringAValue(_ trial: Trial, threads: Int) throws {
    guard let send = trial.publisher.send else { return }
    let senders = Senders(threads, trial.threads)
    var behaviour = Probe.Behaviour.requesting(.unlimited)
    behaviour.onValue = { probe, _ in
      guard senders.valueBegins() else { return .none }
      senders.start(send)
      let signals = probe.now.ledger.signals
      try? trial.gracePeriodOfASend()
      trial.lingerWhileDelivering(senders.group, probe, since: signals)
      senders.firstValueReturns()
      return .none
    }
    let probe = try trial.attach(behaviour)
    senders.expectFirstValue()
    send()
    try trial.expectReturn(of: senders.group, "a send", probe)
    let fault = senders.fault
    try trial.expect(fault == nil, fault ?? "", probe)
  }
}

/// Threads that send one value each while another value is being received, and a record of the values.
private final class Senders: @unchecked Sendable {  // `lock` guards all variables.
  private enum Phase {
    /// A value that is delivered now is an initial value of the publisher.
    case subscribing
    case sending
    case receivingFirst
    case receivedFirst
  }

  private let count: Int
  private let trialThreads: TrialThreads
  private let rendezvous: Rendezvous
  private let lock = Lock()
  private var phase = Phase.subscribing
  private var threads: Set<UInt> = []
  /// The threads on which values were delivered after the first value.
  private var arrivals: [UInt] = []
  private var hasOverlapped = false
  private var started: TrialThreads.Group?

  init(_ count: Int, _ trialThreads: TrialThreads) {
    self.count = count
    self.trialThreads = trialThreads
    rendezvous = Rendezvous(count + 1)
  }

  private func withLock<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  /// Waits until all threads exist, since a thread that has ended may give its identity to another.
  private func waitForAll() {
    if rendezvous.arrive() { rendezvous.proceed() }
  }

  /// Starts the threads, and returns when each is about to send.
  func start(_ send: @escaping @Sendable () -> Void) {
    let group = trialThreads.start(count) { [self] _ in
      let me = currentThreadIdentity()
      withLock { _ = threads.insert(me) }
      waitForAll()
      send()
    }
    guard let group else { return }
    withLock { started = group }
    waitForAll()
  }

  /// The threads, if they have been started.
  var group: TrialThreads.Group? { withLock { started } }

  func expectFirstValue() { withLock { phase = .sending } }

  func firstValueReturns() { withLock { phase = .receivedFirst } }

  /// - Returns: Whether it is the first that was sent.
  func valueBegins() -> Bool {
    let me = currentThreadIdentity()
    return withLock {
      switch phase {
      case .subscribing: return false
      case .sending:
        phase = .receivingFirst
        return true
      case .receivingFirst: hasOverlapped = true
      case .receivedFirst: break
      }
      arrivals.append(me)
      return false
    }
  }

  /// What is wrong with the delivered values; `nil` if nothing is.
  var fault: String? {
    withLock {
      if phase == .sending { return "no value had come when the send returned" }
      if hasOverlapped { return "a value came while receive(_:) had not returned" }
      if arrivals.count != count {
        return "\(arrivals.count) of \(count) values that other threads sent had come when they returned"
      }
      return Set(arrivals) == threads ? nil : "a value came on a thread that had not sent it"
    }
  }
}
