import InterflowPrimitives

/// Calls of the C library that block, of which a connection has so many at once.
///
/// They run on the threads of the process for such calls. Calls begin in their order. Several run at once, so that one
/// that waits until its time is over does not delay the others; and few, so that a server that does not answer leaves
/// threads to other connections.
///
/// `@unchecked Sendable`: `lock` guards `waiting` and `threadCount`.
final class ConnectionQueue: @unchecked Sendable {
  /// How many calls run at once.
  let maxThreadCount: Int

  private let pool: ThreadPool
  private let lock = Lock()
  // A slice of an array would keep what has been taken out, and release it with the lock held: the last reference to an
  // object that uses this queue when it is deallocated, for one.
  private var waiting = RingBuffer<@Sendable () -> Void>()
  private var threadCount = 0

  init(maxThreadCount: Int, pool: ThreadPool = .calls) {
    self.maxThreadCount = maxThreadCount
    self.pool = pool
  }

  /// Runs a call that blocks, and returns when it has returned, its time is over, or the task is cancelled, whichever
  /// comes first.
  ///
  /// A call that nobody waits for any more is not begun. One that has begun goes on.
  ///
  /// - Parameters:
  ///   - limit: When to end with ``NATSError/Kind/timeout``, also where the call has not begun; `nil` for never.
  ///   - operation: What is being done.
  func run<Success: Sendable>(
    within limit: Duration? = nil, while operation: String = "using a connection",
    _ body: @escaping @Sendable () -> Result<Success, NATSError>
  ) async throws(NATSError) -> Success {
    try await waitForCall(within: limit, while: operation) { wait in
      start { if !wait.isOver { wait.end(.success(body())) } }
    }
  }

  /// Begins to run a call that blocks.
  func start(_ body: @escaping @Sendable () -> Void) {
    lock.lock()
    waiting.append(body)
    let begins = threadCount < maxThreadCount
    if begins { threadCount += 1 }
    lock.unlock()
    if begins { pool.start { self.work() } }
  }

  /// How many calls have not begun.
  var waitingCount: Int {
    lock.lock()
    defer { lock.unlock() }
    return waiting.count
  }

  /// Runs one call, and comes back for the next behind the calls of other connections.
  private func work() {
    lock.lock()
    let body = waiting.popFirst()
    if body == nil { threadCount -= 1 }
    lock.unlock()
    guard let body else { return }
    body()
    pool.start { self.work() }
  }
}
