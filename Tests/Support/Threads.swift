import Foundation
import Testing

/// Runs a closure on several threads of their own, which start it together, and waits for all of them.
package func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
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
/// - Returns: Whether it returned. It does not when it waits for a lock that the caller's caller holds, which is an
///   issue of its own; the deadline only bounds how long such a defect keeps the tests waiting.
@discardableResult
package func onOtherThread(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () -> Void
) -> Bool {
  let done = DispatchSemaphore(value: 0)
  Thread {
    body()
    done.signal()
  }.start()
  return isInTime(done, sourceLocation)
}

private func isInTime(_ semaphore: DispatchSemaphore, _ sourceLocation: SourceLocation) -> Bool {
  let isInTime = semaphore.wait(timeout: .now() + longWait) == .success
  if !isInTime { Issue.record("waited for half an hour", sourceLocation: sourceLocation) }
  return isInTime
}

/// Begins to run a closure on a thread of its own that may have to wait, as a sender does for its turn.
///
/// - Returns: What opens when the closure has returned.
package func beginOnOtherThread(_ body: @escaping @Sendable () -> Void) -> Latch {
  let begun = Latch()
  let done = Latch()
  Thread {
    begun.open()
    body()
    done.open()
  }.start()
  begun.wait()
  return done
}

/// How many threads the process has, as Linux says.
package func threadCount(sourceLocation: SourceLocation = #_sourceLocation) throws -> Int {
  let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
  return try #require(threads, sourceLocation: sourceLocation).count
}

/// Something that one thread waits for and another announces.
package final class Latch: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func open() { semaphore.signal() }

  /// - Returns: Whether the latch was opened. It is an issue if it was not; the deadline only bounds how long such a
  ///   defect keeps the tests waiting.
  @discardableResult
  package func wait(sourceLocation: SourceLocation = #_sourceLocation) -> Bool { isInTime(semaphore, sourceLocation) }
}

/// Lets nobody pass until all have arrived.
package final class Barrier: @unchecked Sendable {  // `condition` guards `missing`.
  private let condition = NSCondition()
  private var missing: Int

  package init(_ count: Int) { missing = count }

  package func arriveAndWait() {
    condition.lock()
    missing -= 1
    if missing == 0 { condition.broadcast() }
    while missing > 0 { condition.wait() }
    condition.unlock()
  }
}

/// A value that several threads use, under a lock.
package final class Shared<Value>: @unchecked Sendable {  // `lock` guards `storage`.
  private let lock = NSLock()
  private var storage: Value

  package init(_ value: Value) { storage = value }

  package var value: Value {
    get { lock.withLock { storage } }
    set { lock.withLock { storage = newValue } }
  }

  @discardableResult
  package func update<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&storage) } }
}
