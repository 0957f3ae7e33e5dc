import CNATS
import InterflowPrimitives

/// The messages that have been published and that no server has acknowledged yet.
///
/// The library has a reference to it until the connection is closed: it reports acknowledgements on its own threads.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class Acknowledgements: @unchecked Sendable {
  typealias Report = @Sendable (Result<NATSReceipt, NATSError>) -> Void

  /// Who waits. A dictionary of closures alone would allocate each once more.
  private struct Waiter {
    let report: Report
  }

  private let lock = Lock()
  // The library gives the message back with the acknowledgement.
  private var waiting: [OpaquePointer: Waiter] = [:]
  private var end: NATSError?
  // Called when none waits any more.
  private var whenEmpty: [@Sendable () -> Void] = []

  /// Waits for a message's acknowledgement, before it is published.
  ///
  /// - Returns: The error with which the connection has ended; nothing is reported then.
  func await(_ message: OpaquePointer, _ report: @escaping Report) -> NATSError? {
    lock.lock()
    let end = end
    if end == nil { waiting[message] = Waiter(report: report) }
    lock.unlock()
    return end
  }

  /// Reports what has become of a message, unless that has been reported.
  func acknowledged(_ message: OpaquePointer, _ result: Result<NATSReceipt, NATSError>) {
    lock.lock()
    let waiter = waiting.removeValue(forKey: message)
    let emptied = takeEmptied()
    lock.unlock()
    waiter?.report(result)
    for report in emptied { report() }
  }

  /// Fails all that wait, and those that come.
  func connectionClosed(_ error: NATSError) {
    lock.lock()
    end = error
    let waiters = waiting.values
    waiting = [:]
    let emptied = takeEmptied()
    lock.unlock()
    for waiter in waiters { waiter.report(.failure(error)) }
    for report in emptied { report() }
  }

  /// Fails those that come, and returns when all that wait have been acknowledged or have failed.
  func finish(_ error: NATSError) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      lock.lock()
      if end == nil { end = error }
      whenEmpty.append { continuation.resume() }
      let emptied = takeEmptied()
      lock.unlock()
      for report in emptied { report() }
    }
  }

  private func takeEmptied() -> [@Sendable () -> Void] {
    lock.assertHeld()
    guard waiting.isEmpty else { return [] }
    defer { whenEmpty = [] }
    return whenEmpty
  }

  /// How many wait: for tests.
  var count: Int {
    lock.lock()
    let count = waiting.count
    lock.unlock()
    return count
  }
}
