import CNATS
import InterflowPrimitives

/// The messages that have been published and that no server has acknowledged yet.
///
/// The library reports acknowledgements on its own threads, perhaps while it reports that the connection is closed. So it
/// has a number, and no reference.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class Acknowledgements: @unchecked Sendable {
  typealias Report = @Sendable (Result<NATSReceipt, NATSError>) -> Void

  /// A report to make. A dictionary of closures alone would allocate each once more.
  private struct Waiter {
    let report: Report
  }

  /// Those of all connections of the process that are not closed.
  private static let registered = NumberedObjects<Acknowledgements>()

  private let lock = Lock()
  // The library gives the message back with the acknowledgement.
  private var waiting: [OpaquePointer: Waiter] = [:]
  private var end: NATSError?
  private var number: UInt = 0
  // Called when none waits any more.
  private var whenEmpty: [@Sendable () -> Void] = []

  /// Makes the library's reports find this object until the connection is closed.
  ///
  /// - Returns: The number for ``with(number:)``.
  func register() -> UInt {
    lock.lock()
    if number == 0, end == nil { number = Self.registered.add(self) }
    let number = number
    lock.unlock()
    return number
  }

  static func with(number: UInt) -> Acknowledgements? { registered[number] }

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
    let number = number
    lock.unlock()
    Self.registered.remove(number)
    for waiter in waiters { waiter.report(.failure(error)) }
    for report in emptied { report() }
  }

  /// Fails those that come, and reports when all that wait have been acknowledged or have failed.
  func finish(_ error: NATSError, report: @escaping @Sendable () -> Void) {
    lock.lock()
    if end == nil { end = error }
    whenEmpty.append(report)
    let emptied = takeEmptied()
    lock.unlock()
    for report in emptied { report() }
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
