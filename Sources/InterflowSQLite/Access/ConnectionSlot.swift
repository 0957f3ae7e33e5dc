import Dispatch
import InterflowPrimitives
import Synchronization

/// A connection of a pool, which is opened when it is used first, and the queue that asynchronous work runs on.
///
/// The queue is serial and has a thread of the system's while there is work, never one of those that tasks share.
final class ConnectionSlot: @unchecked Sendable {
  // `connection` is used only by the thread to which the pool has given the slot.
  private var connection: DatabaseConnection?
  private let open: @Sendable (Interruption) throws -> DatabaseConnection
  let queue: DispatchQueue
  /// The thread that uses the slot; zero if none does.
  private let user = Atomic<UInt>(0)

  init(label: String, open: @escaping @Sendable (Interruption) throws -> DatabaseConnection) {
    self.open = open
    queue = DispatchQueue(label: label)
  }

  /// Whether the current thread is inside ``perform(_:_:)``.
  var isUsedByCurrentThread: Bool { user.load(ordering: .relaxed) == currentThreadIdentity() }

  /// The connection, if the current thread is inside ``perform(_:_:)`` and it has been opened.
  var connectionOfCurrentThread: DatabaseConnection? { isUsedByCurrentThread ? connection : nil }

  /// Runs a closure with the connection.
  ///
  /// An error that follows from the interruption is thrown as a `CancellationError`.
  func perform<Result>(
    _ interruption: Interruption, _ work: (DatabaseConnection) throws -> Result
  ) throws -> Result {
    user.store(currentThreadIdentity(), ordering: .relaxed)
    defer { user.store(0, ordering: .relaxed) }
    if interruption.isSet { throw CancellationError() }
    do {
      let connection = try opened(interruption)
      connection.interruption = interruption
      defer { connection.interruption = nil }
      return try work(connection)
    } catch {
      if interruption.isSet { throw CancellationError() }
      throw error
    }
  }

  private func opened(_ interruption: Interruption) throws -> DatabaseConnection {
    if let connection { return connection }
    let connection = try open(interruption)
    self.connection = connection
    return connection
  }

  /// Closes the connection. For the thread to which the pool has given the slot.
  func close() {
    connection?.close()
    connection = nil
  }

  deinit {
    // Not left to a reference that has escaped.
    connection?.close()
  }
}
