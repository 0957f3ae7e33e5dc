import Combine
import InterflowPrimitives

/// The closures that a ``TestPublisher`` and its subscriptions call.
final class UpstreamHooks: @unchecked Sendable {
  // `lock` guards the variables. The test is responsible for what the closures do.

  private let lock = Lock()
  private var requestHook: ((Subscribers.Demand) -> Void)?
  private var cancelHook: (() -> Void)?

  var onRequest: ((Subscribers.Demand) -> Void)? {
    get {
      lock.lock()
      defer { lock.unlock() }
      return requestHook
    }
    set {
      lock.lock()
      let last = requestHook
      requestHook = newValue
      lock.unlock()
      releaseOutsideLock(last)
    }
  }

  var onCancel: (() -> Void)? {
    get {
      lock.lock()
      defer { lock.unlock() }
      return cancelHook
    }
    set {
      lock.lock()
      let last = cancelHook
      cancelHook = newValue
      lock.unlock()
      releaseOutsideLock(last)
    }
  }
}
