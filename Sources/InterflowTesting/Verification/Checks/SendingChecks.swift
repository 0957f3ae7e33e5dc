import Foundation
import InterflowPrimitives

/// A send that finds another thread delivering is neither left to that thread nor delivered beside it, which is seen by
/// when its value comes, and on which thread.
extension Check {
  static let sending: [Check] = [
    Check(
      .sendDuringASignalWaits, fewest: 2, takesSend: true,
      crowd: .script { try sendDuringAValue($0, threads: $0.options.threads) },
      alone: { try sendDuringAValue($0, threads: 1) })
  ]

  /// Sends a value, and lets so many threads send one each while it is being taken.
  private static func sendDuringAValue(_ trial: Trial, threads: Int) throws {
    guard let send = trial.publisher.send else { return }
    let senders = Senders(threads)
    var behaviour = Probe.Behaviour.asking(.unlimited)
    behaviour.onValue = { _, _ in
      guard senders.valueBegins() else { return .none }
      senders.start(send)
      try? trial.graceOfASend()
      senders.firstValueReturns()
      return .none
    }
    let probe = try trial.attach(behaviour)
    senders.expectFirstValue()
    send()
    try trial.expect(
      senders.wait(until: .now() + trial.options.deadlineInSeconds),
      "a send from another thread did not return within \(trial.options.deadline)", probe)
    let fault = senders.fault
    try trial.expect(fault == nil, fault ?? "", probe)
  }
}

/// Threads that send one value each while another value is being taken, and the values that have come.
private final class Senders: @unchecked Sendable {  // `lock` guards everything mutable.
  private enum Phase {
    /// A value that comes now is one that every subscriber gets to begin with.
    case subscribing
    case sending
    case takingFirst
    case tookFirst
  }

  private let count: Int
  private let group = DispatchGroup()
  private let rendezvous: Rendezvous
  private let lock = Lock()
  private var phase = Phase.subscribing
  private var threads: Set<UInt> = []
  /// The threads that values have come on after the first value.
  private var arrivals: [UInt] = []
  private var hasOverlapped = false

  init(_ count: Int) {
    self.count = count
    rendezvous = Rendezvous(count + 1)
  }

  private func withLock<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  /// Every thread is there before one sends, or two of them might have one identity after the other.
  private func meet() {
    if rendezvous.arrive() { rendezvous.proceed() }
  }

  /// Starts the threads, and returns when each is about to send.
  func start(_ send: @escaping @Sendable () -> Void) {
    for _ in 0..<count {
      group.enter()
      Thread { [self] in
        let me = currentThreadIdentity()
        withLock { _ = threads.insert(me) }
        meet()
        send()
        group.leave()
      }.start()
    }
    meet()
  }

  /// - Returns: Whether all threads have sent before the deadline.
  func wait(until deadline: DispatchTime) -> Bool { group.wait(timeout: deadline) == .success }

  func expectFirstValue() { withLock { phase = .sending } }

  func firstValueReturns() { withLock { phase = .tookFirst } }

  /// - Returns: Whether it is the first that was sent.
  func valueBegins() -> Bool {
    let me = currentThreadIdentity()
    return withLock {
      switch phase {
      case .subscribing: return false
      case .sending:
        phase = .takingFirst
        return true
      case .takingFirst: hasOverlapped = true
      case .tookFirst: break
      }
      arrivals.append(me)
      return false
    }
  }

  /// What is wrong with the values that have come; `nil` if nothing is.
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
