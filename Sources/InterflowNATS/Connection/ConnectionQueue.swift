import Dispatch
import InterflowPrimitives

/// The few threads of a connection on which calls of the C library block, so that no task keeps one of the threads that
/// tasks share.
///
/// Calls begin in their order. Several run at once, so that one that waits until its time is over does not delay the
/// others.
///
/// `@unchecked Sendable`: `lock` guards `waiting` and `threadCount`.
final class ConnectionQueue: @unchecked Sendable {
  /// How many calls run at once.
  let maxThreadCount: Int

  private let queue = DispatchQueue(label: "InterflowNATS.connection", attributes: .concurrent)
  private let lock = Lock()
  // A slice of an array would keep what has been taken out, and release it with the lock held: the last reference to an
  // object that uses this queue when it is deallocated, for one.
  private var waiting = RingBuffer<@Sendable () -> Void>()
  private var threadCount = 0

  init(maxThreadCount: Int) {
    self.maxThreadCount = maxThreadCount
  }

  /// Runs a call that blocks.
  func run<Success: Sendable>(
    _ body: @escaping @Sendable () -> Result<Success, NATSError>
  ) async throws(NATSError) -> Success {
    let result = await waitForResult { report in
      start { report(body()) }
    }
    return try result.get()
  }

  /// Begins to run a call that blocks.
  func start(_ body: @escaping @Sendable () -> Void) {
    lock.lock()
    waiting.append(body)
    let begins = threadCount < maxThreadCount
    if begins { threadCount += 1 }
    lock.unlock()
    if begins { queue.async { self.work() } }
  }

  private func work() {
    while let body = next() { body() }
  }

  /// Gives the thread back where nothing waits.
  private func next() -> (@Sendable () -> Void)? {
    lock.lock()
    let body = waiting.popFirst()
    if body == nil { threadCount -= 1 }
    lock.unlock()
    return body
  }
}
