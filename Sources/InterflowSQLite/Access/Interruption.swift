internal import CSQLite
import InterflowPrimitives
import Synchronization

/// Says that the work of a connection has been cancelled. It is looked at between statements, and interrupts the statement
/// that runs while the work has the connection.
final class Interruption: @unchecked Sendable {
  private let flag = Atomic(false)
  // Guarded by `lock`: `handle`, `isRepeated`.
  private let lock = Lock()
  private var isRepeated = false
  /// The connection that works.
  private var handle: OpaquePointer?
  private static let repetitions = Delays(label: "database interruptions")

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() {
    flag.store(true, ordering: .releasing)
    interruptStatement(isRepetition: false)
  }

  /// The work has a connection.
  func attach(_ handle: OpaquePointer) {
    lock.lock()
    self.handle = handle
    lock.unlock()
    if isSet { interruptStatement(isRepetition: false) }
  }

  /// The work gives the connection back. What runs on it from now on is not ended.
  func detach() {
    lock.lock()
    handle = nil
    lock.unlock()
  }

  /// SQLite forgets it when no statement runs, or none any more. A statement may be about to begin, so this is repeated
  /// as long as the work has the connection.
  private func interruptStatement(isRepetition: Bool) {
    lock.lock()
    let isWorking = handle != nil
    // It only sets a flag of the connection, which cannot be closed meanwhile.
    if let handle { sqlite3_interrupt(handle) }
    // One timer is enough, however often the work gives the connection back and gets it again.
    let repeats = isWorking && (isRepetition || !isRepeated)
    if isWorking || isRepetition { isRepeated = isWorking }
    lock.unlock()
    guard repeats else { return }
    Self.repetitions.run(after: .milliseconds(20)) { self.interruptStatement(isRepetition: true) }
  }
}
