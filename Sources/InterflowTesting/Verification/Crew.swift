import Foundation

/// Threads that run a closure together, and that are abandoned if they do not return.
final class Crew: @unchecked Sendable {  // `condition` guards everything mutable.
  private let condition = NSCondition()
  private let count: Int
  private var body: (@Sendable (Int) -> Void)?
  private var generation = 0
  private var arrived = 0
  private var busy = 0
  private var isOver = false

  init(_ count: Int) {
    self.count = count
    for index in 0..<count {
      let thread = Thread { self.work(index) }
      // Room for a publisher that does recurse, so that it is reported instead of stopping the process.
      thread.stackSize = 16 << 20
      thread.start()
    }
  }

  private func work(_ index: Int) {
    var done = 0
    while true {
      condition.lock()
      while generation == done, !isOver { condition.wait() }
      guard !isOver, let body else {
        condition.unlock()
        return
      }
      done = generation
      // They start together, or the first would be through before the last has woken.
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
  /// - Returns: Whether all have returned before the deadline. The crew is of no use after one that has not.
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

  /// Lets the threads end.
  func dismiss() {
    condition.withLock {
      isOver = true
      condition.broadcast()
    }
  }
}

/// Lets each thread pass once all have arrived or have left for good, again and again.
final class Rendezvous: @unchecked Sendable {  // `condition` guards everything mutable.
  private let condition = NSCondition()
  private var expected: Int
  private var waiting = 0
  private var round = 0

  init(_ count: Int) {
    expected = count
  }

  /// Waits for the others.
  ///
  /// - Returns: Whether this one is to do what is done once for all of them, and to say so with ``proceed()``.
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

  /// Lets the others pass.
  func proceed() {
    condition.withLock {
      waiting = 0
      round += 1
      condition.broadcast()
    }
  }

  /// Does not come any more.
  func leave() {
    condition.withLock {
      expected -= 1
      condition.broadcast()
    }
  }
}
