import Foundation
import InterflowPrimitives

/// Threads that run a closure together, and that are abandoned if they do not return.
final class WorkerThreads: @unchecked Sendable {  // `condition` guards all variables.
  let count: Int
  private let condition = NSCondition()
  private var body: (@Sendable (Int) -> Void)?
  private var generation = 0
  private var arrived = 0
  private var busy = 0
  private var isDismissed = false
  private var threads: Set<UInt> = []

  init(_ count: Int) {
    self.count = count
    for index in 0..<count {
      let thread = Thread { self.work(index) }
      thread.stackSize = TrialThreads.stackSize
      thread.start()
    }
  }

  private func work(_ index: Int) {
    let thread = currentThreadIdentity()
    condition.withLock { _ = threads.insert(thread) }
    // Another thread may have the same identity later.
    defer { condition.withLock { _ = threads.remove(thread) } }
    var done = 0
    while true {
      condition.lock()
      while generation == done, !isDismissed { condition.wait() }
      guard !isDismissed, let body else {
        condition.unlock()
        return
      }
      done = generation
      // All start together; otherwise the first could finish before the last has woken.
      arrived += 1
      if arrived == count { condition.broadcast() }
      while arrived < count { condition.wait() }
      condition.unlock()
      body(index)
      condition.lock()
      busy -= 1
      if busy == 0 { condition.broadcast() }
      condition.unlock()
    }
  }

  /// Runs a closure on every thread at once.
  ///
  /// - Parameter threads: Says how long that may take.
  /// - Returns: Whether all have returned in time. If not, the threads end when they do, and cannot be used again.
  func run(_ threads: TrialThreads, _ body: @escaping @Sendable (Int) -> Void) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    self.body = body
    busy = count
    arrived = 0
    generation += 1
    condition.broadcast()
    while busy > 0 {
      let end = threads.end
      // While this thread waited, a script may have begun a wait that lasts longer.
      if threads.isRunning, condition.wait(until: end) || end < threads.end { continue }
      if busy == 0 { break }
      isDismissed = true
      self.body = nil
      return false
    }
    self.body = nil
    return true
  }

  /// Whether a thread is one of these.
  func include(_ thread: UInt) -> Bool { condition.withLock { threads.contains(thread) } }

  /// Lets ``run(_:_:)`` find out that the run was stopped.
  func wake() { condition.withLock { condition.broadcast() } }

  /// Ends the threads.
  func dismiss() {
    condition.withLock {
      isDismissed = true
      condition.broadcast()
    }
  }
}

/// A barrier: each thread waits until all have arrived or have left for good. It can be used repeatedly.
final class Rendezvous: @unchecked Sendable {  // `condition` guards all variables.
  private let condition = NSCondition()
  private var expected: Int
  private var waiting = 0
  private var round = 0

  init(_ count: Int) {
    expected = count
  }

  /// Waits for the others.
  ///
  /// - Returns: Whether this thread does what is done once for all, and then calls ``proceed()``.
  func arrive() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    waiting += 1
    let current = round
    while round == current {
      if waiting == expected {
        waiting = -1
        return true
      }
      condition.wait()
    }
    return false
  }

  /// Lets the others continue.
  func proceed() {
    condition.withLock {
      waiting = 0
      round += 1
      condition.broadcast()
    }
  }

  /// Removes this thread from those that are waited for.
  ///
  /// - Returns: Whether it was the last.
  func leave() -> Bool {
    condition.withLock {
      expected -= 1
      condition.broadcast()
      return expected == 0
    }
  }
}
