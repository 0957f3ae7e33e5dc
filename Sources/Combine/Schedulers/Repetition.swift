import InterflowPrimitives

/// A closure that is run repeatedly, until it is cancelled and released.
final class Repetition: @unchecked Sendable {  // `lock` guards `action`, which runs on one scheduler only.
  // Guarded by `lock`: `action`.
  private let lock = Lock()
  private var action: (() -> Void)?

  init(_ action: @escaping () -> Void) {
    self.action = action
  }

  func run() {
    lock.lock()
    let action = self.action
    lock.unlock()
    action?()
  }

  func cancel() {
    lock.lock()
    let action = self.action.take()
    lock.unlock()
    releaseOutsideLock(action)
  }
}
