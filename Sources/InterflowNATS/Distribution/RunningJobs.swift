import InterflowPrimitives

/// The closures that a worker runs, so that the worker can wait for their end.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class RunningJobs: @unchecked Sendable {
  private let lock = Lock()
  private var count = 0
  private var isClosed = false
  private var waiter: CheckedContinuation<Void, Never>?

  /// - Returns: Whether a closure may run.
  func enter() -> Bool {
    lock.lock()
    defer { lock.unlock() }
    if isClosed { return false }
    count += 1
    return true
  }

  func leave() {
    lock.lock()
    count -= 1
    let waiter = isClosed && count == 0 ? waiter.take() : nil
    lock.unlock()
    waiter?.resume()
  }

  /// Lets no closure begin any more, and waits until none runs.
  func close() async {
    await withCheckedContinuation { continuation in
      lock.lock()
      isClosed = true
      let isIdle = count == 0
      if !isIdle { waiter = continuation }
      lock.unlock()
      if isIdle { continuation.resume() }
    }
  }
}
