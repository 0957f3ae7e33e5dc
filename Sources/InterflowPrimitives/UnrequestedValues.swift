import Synchronization

/// Tells whoever asks that a subject has dropped a value for which a subscriber had no demand.
///
/// Nobody else can: the subscriber does not get the value. While there is no observer, it costs one load for each such
/// value.
package enum UnrequestedValues {
  package typealias Observer = @Sendable (_ subscription: ObjectIdentifier) -> Void

  private static let observers = Observers()

  /// A value was dropped, on this thread.
  package static func wasDropped(by subscription: @autoclosure () -> ObjectIdentifier) {
    guard observers.count.load(ordering: .relaxed) > 0 else { return }
    let identity = subscription()
    for observer in observers.all { observer.call(identity) }
  }

  /// Calls a closure for each value that is dropped, on the thread that has sent it, until the token is released.
  package static func observe(_ observer: @escaping Observer) -> AnyObject { Token(observers.add(observer), observers) }

  private final class Observers: @unchecked Sendable {  // `lock` guards the variables; the atomic protects itself.
    let count = Atomic(0)
    private let lock = Lock()
    private var next = 0
    private var observers: [(number: Int, call: Observer)] = []

    var all: [(number: Int, call: Observer)] {
      lock.lock()
      defer { lock.unlock() }
      return observers
    }

    func add(_ observer: @escaping Observer) -> Int {
      lock.lock()
      defer { lock.unlock() }
      next += 1
      observers.append((next, observer))
      count.store(observers.count, ordering: .relaxed)
      return next
    }

    func remove(_ number: Int) {
      lock.lock()
      defer { lock.unlock() }
      observers.removeAll { $0.number == number }
      count.store(observers.count, ordering: .relaxed)
    }
  }

  private final class Token: Sendable {
    private let number: Int
    private let observers: Observers

    init(_ number: Int, _ observers: Observers) {
      self.number = number
      self.observers = observers
    }

    deinit { observers.remove(number) }
  }
}
