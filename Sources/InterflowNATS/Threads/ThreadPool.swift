import Dispatch
import Foundation
import InterflowPrimitives

/// Threads of this module's own, a bounded number for the process, on which closures may block: neither tasks nor
/// dispatch queues wait for them.
///
/// Closures begin in their order. A thread ends when there was nothing to do for a while.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class ThreadPool: @unchecked Sendable {
  /// For calls of the C library that wait for a server. A connection uses a few, see ``ConnectionQueue``, so that those to
  /// servers that do not answer leave some to others.
  static let calls = ThreadPool("nats.calls", maxThreadCount: 64)
  /// For what connections send, one at a time each: however many calls wait for servers, others can send.
  static let outboxes = ThreadPool("nats.outboxes", maxThreadCount: 64)
  /// For connecting. The library waits for ever for a server that stops in the middle of a TLS handshake: such threads are
  /// few, and none of those that connections need which exist.
  static let connecting = ThreadPool("nats.connecting", maxThreadCount: 8)
  /// For subscribers, of which some may block.
  static let deliveries = ThreadPool("nats.deliveries", maxThreadCount: 64)

  private struct Work {
    let run: @Sendable () -> Void
  }

  /// How many threads there are at most.
  let maxThreadCount: Int
  private let name: String
  private let idleTime: DispatchTimeInterval
  private let lock = Lock()
  private var waiting = RingBuffer<Work>()
  private var threads = 0
  /// How many threads wait, and have not been woken.
  private var idle = 0
  private let wakeUp = DispatchSemaphore(value: 0)

  init(_ name: String, maxThreadCount: Int, idleTime: DispatchTimeInterval = .seconds(10)) {
    self.name = name
    self.maxThreadCount = maxThreadCount
    self.idleTime = idleTime
  }

  /// How many threads there are: for tests.
  var threadCount: Int {
    lock.lock()
    defer { lock.unlock() }
    return threads
  }

  func start(_ body: @escaping @Sendable () -> Void) {
    lock.lock()
    waiting.append(Work(run: body))
    let wakes = idle > 0
    let begins = !wakes && threads < maxThreadCount
    if wakes { idle -= 1 }
    if begins { threads += 1 }
    lock.unlock()
    if wakes { wakeUp.signal() }
    if begins { Thread.detachNewThread { self.work() } }
  }

  private func work() {
    Thread.current.name = name
    while true {
      lock.lock()
      let work = waiting.popFirst()
      if work == nil { idle += 1 }
      lock.unlock()
      if let work { work.run() } else if !waitForWork() { return }
    }
  }

  /// - Returns: Whether the thread goes on.
  private func waitForWork() -> Bool {
    if wakeUp.wait(timeout: .now() + idleTime) == .success { return true }
    lock.lock()
    // Where none is idle, this one has been woken meanwhile, and has to take that.
    let ends = idle > 0
    if ends {
      idle -= 1
      threads -= 1
    }
    lock.unlock()
    if !ends { wakeUp.wait() }
    return !ends
  }
}
