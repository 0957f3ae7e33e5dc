internal import CSQLite
import Dispatch
import InterflowPrimitives
import Synchronization

/// Says that the work of a connection has been cancelled. SQLite looks at it between instructions, and is told while the
/// work has the connection, which ends an instruction that takes long.
final class Interruption: @unchecked Sendable {
  private let flag = Atomic(false)
  // Guards `handle`.
  private let lock = Lock()
  /// The connection that works.
  private var handle: OpaquePointer?

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() {
    flag.store(true, ordering: .releasing)
    interruptStatement()
  }

  /// The work has a connection.
  func attach(_ handle: OpaquePointer) {
    lock.lock()
    self.handle = handle
    lock.unlock()
    if isSet { interruptStatement() }
  }

  /// The work gives the connection back. What runs on it from now on is not ended.
  func detach() {
    lock.lock()
    handle = nil
    lock.unlock()
  }

  /// SQLite forgets it when no statement runs, or none any more. A statement may be about to begin, so this is repeated
  /// as long as the work has the connection.
  private func interruptStatement() {
    lock.lock()
    let isWorking = handle != nil
    // It only sets a flag of the connection, which cannot be closed meanwhile.
    if let handle { sqlite3_interrupt(handle) }
    lock.unlock()
    guard isWorking else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { self.interruptStatement() }
  }
}
