internal import CSQLite
import Synchronization

/// Which access uses a connection, and on which thread.
///
/// The compiler lets a connection, a cursor or a row leave the closure that received it, in synchronous code without any
/// unsafe keyword. SQLite is opened without locks of its own, so a use beside another thread's would corrupt memory.
/// Each use is therefore checked here first, before it reads anything that is not atomic. A thread that finds its own
/// identity has stored it itself and is still inside the access, so everything of the connection belongs to it. A check
/// takes less than a nanosecond.
final class AccessIdentity: Sendable {
  /// The thread of the access; zero if there is none.
  private let thread = Atomic<UInt>(0)
  /// The number of the access; zero if there is none.
  private let number = Atomic(0)

  func begin(_ access: Int) {
    number.store(access, ordering: .relaxed)
    thread.store(interflow_current_thread(), ordering: .relaxed)
  }

  func end() {
    thread.store(0, ordering: .relaxed)
    number.store(0, ordering: .releasing)
  }

  /// Whether this thread is inside an access.
  @inline(__always) var isInside: Bool { thread.load(ordering: .relaxed) == interflow_current_thread() }

  /// Whether this thread is inside the access of a number.
  @inline(__always) func isInside(_ access: Int) -> Bool {
    isInside && number.load(ordering: .relaxed) == access
  }

  /// Whether an access that has begun is over: what belonged to it does not change any more.
  func isOver(_ access: Int) -> Bool { number.load(ordering: .acquiring) != access }

  /// The error of a use that is not inside the access.
  ///
  /// - Parameter subject: What is used.
  @inline(never) func misuse(of subject: String, sql: String?) -> DatabaseError {
    thread.load(ordering: .relaxed) == 0
      ? .misuse(
        "\(subject) is used after its access has ended: use it only inside the closure that receives the connection",
        sql: sql)
      : .misuse(
        """
        \(subject) is used outside its access, while the connection has another one or on a thread of its own: use it \
        only inside the closure that receives the connection, on the thread that runs the closure
        """, sql: sql)
  }
}
