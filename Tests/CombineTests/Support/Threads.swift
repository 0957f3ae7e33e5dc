import Foundation

/// Runs a closure on several threads of their own, which start it together, and waits for all of them.
func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let done = DispatchGroup()
  let start = Barrier(count)
  for index in 0..<count {
    done.enter()
    Thread {
      start.arriveAndWait()
      body(index)
      done.leave()
    }.start()
  }
  done.wait()
}

/// Runs a closure on a thread of its own and waits until it has returned.
///
/// - Returns: Whether it returned. It does not when it waits for a lock that the caller's caller holds; the deadline
///   only bounds how long such a defect keeps the tests waiting.
@discardableResult
func onOtherThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  let done = DispatchSemaphore(value: 0)
  Thread {
    body()
    done.signal()
  }.start()
  return done.wait(timeout: .now() + 300) == .success
}

/// Something that one thread waits for and another announces.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  /// - Returns: Whether the gate was opened; the deadline only bounds how long a defect keeps the tests waiting.
  @discardableResult
  func wait() -> Bool { semaphore.wait(timeout: .now() + 300) == .success }
}

/// Lets nobody pass until all have arrived.
final class Barrier: @unchecked Sendable {  // `condition` guards `missing`.
  private let condition = NSCondition()
  private var missing: Int

  init(_ count: Int) { missing = count }

  func arriveAndWait() {
    condition.lock()
    missing -= 1
    if missing == 0 { condition.broadcast() }
    while missing > 0 { condition.wait() }
    condition.unlock()
  }
}

/// A value that several threads use, under a lock.
final class Shared<Value>: @unchecked Sendable {  // `lock` guards `storage`.
  private let lock = NSLock()
  private var storage: Value

  init(_ value: Value) { storage = value }

  var value: Value {
    get { lock.withLock { storage } }
    set { lock.withLock { storage = newValue } }
  }

  @discardableResult
  func update<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&storage) } }
}
