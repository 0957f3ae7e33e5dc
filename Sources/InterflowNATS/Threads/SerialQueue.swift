import InterflowPrimitives

/// Runs closures one after the other, in their order, on the threads of a pool.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class SerialQueue: @unchecked Sendable {
  private struct Work {
    let run: @Sendable () -> Void
  }

  /// After so many closures, other queues have their turn.
  private static let turn = 64

  private let pool: ThreadPool
  private let lock = Lock()
  private var waiting = RingBuffer<Work>()
  private var isRunning = false

  init(_ pool: ThreadPool) {
    self.pool = pool
  }

  func async(_ body: @escaping @Sendable () -> Void) {
    lock.lock()
    waiting.append(Work(run: body))
    let begins = !isRunning
    isRunning = true
    lock.unlock()
    if begins { pool.start { self.run() } }
  }

  /// Runs a closure later, behind those that wait then.
  func async(after duration: Duration, _ body: @escaping @Sendable () -> Void) {
    Deadlines.shared.add(after: duration) { self.async(body) }
  }

  private func run() {
    for _ in 0..<Self.turn {
      guard let work = next() else { return }
      work.run()
    }
    pool.start { self.run() }
  }

  private func next() -> Work? {
    lock.lock()
    let work = waiting.popFirst()
    if work == nil { isRunning = false }
    lock.unlock()
    return work
  }
}
