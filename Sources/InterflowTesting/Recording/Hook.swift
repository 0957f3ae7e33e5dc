import InterflowPrimitives

/// A closure that a test may set from any thread, while others call it.
final class Hook<Closure>: @unchecked Sendable {
  // `lock` guards `current`. The test is responsible for what the closure does.

  private let lock = Lock()
  private var current: Closure?

  /// To be called without a lock held.
  var closure: Closure? {
    get {
      lock.lock()
      defer { lock.unlock() }
      return current
    }
    set {
      lock.lock()
      let last = current
      current = newValue
      lock.unlock()
      releaseOutsideLock(last)
    }
  }
}
