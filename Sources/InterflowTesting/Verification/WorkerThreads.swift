import Foundation

/// Threads that run a closure together, and that are abandoned if they do not return.
final class WorkerThreads: @unchecked Sendable {  // `condition` guards all variables.
  private let condition = NSCondition()
  private let count: Int
  private var body: (@Sendable (Int) -> Void)?
  private var generation = 0
  private var arrived = 0
  private var busy = 0
  private var isDismissed = false

  init(_ count: Int) {
    self.count = count
    for index in 0..<count {
      let thread = Thread { self.work(index) }
      // Large, so that a publisher that recurses is reported instead of overflowing the stack.
      thread.stackSize = 16 << 20
      thread.start()
    }
  }

  private func work(_ index: Int) {
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
  /// - Returns: Whether all have returned before the deadline. If not, the threads cannot be used again.
  func run(until deadline: Date, _ body: @escaping @Sendable (Int) -> Void) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    self.body = body
    busy = count
    arrived = 0
    generation += 1
    condition.broadcast()
    while busy > 0 {
      if !condition.wait(until: deadline), busy > 0 { return false }
    }
    self.body = nil
    return true
  }

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
  func leave() {
    condition.withLock {
      expected -= 1
      condition.broadcast()
    }
  }
}
