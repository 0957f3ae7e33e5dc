import Dispatch
import InterflowPrimitives

/// A few threads that run work for the whole process.
///
/// Each is that of a serial queue, which has a thread of the system's while there is work and never one of those that
/// tasks share. A queue for each object that has work would have as many threads as there are objects.
final class SharedThreads: @unchecked Sendable {
  /// Those on which results of observed queries are delivered.
  static let observations = SharedThreads(label: "database observations", count: 6)

  // Guarded by `lock`: `idle`, `waiting`.
  private let lock = Lock()
  private var idle: [DispatchQueue]
  private var waiting = RingBuffer<@Sendable () -> Void>()

  init(label: String, count: Int) {
    idle = (0..<count).map { DispatchQueue(label: "\(label) \($0)") }
  }

  /// Runs work on one of the threads, after what was to be run before.
  func run(_ work: @escaping @Sendable () -> Void) {
    lock.lock()
    guard let queue = idle.popLast() else {
      waiting.append(work)
      return lock.unlock()
    }
    lock.unlock()
    queue.async { self.run(work, on: queue) }
  }

  private func run(_ first: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
    var work = first
    while true {
      work()
      lock.lock()
      guard let next = waiting.popFirst() else {
        idle.append(queue)
        return lock.unlock()
      }
      lock.unlock()
      work = next
    }
  }
}

/// Runs closures one at a time, in their order, on threads that others use too.
final class SerialWork: @unchecked Sendable {
  // Guarded by `lock`: `pending`, `isRunning`.
  private let lock = Lock()
  private var pending = RingBuffer<@Sendable () -> Void>()
  private var isRunning = false
  private let threads: SharedThreads
  private static let delays = Delays(label: "database delays")

  init(_ threads: SharedThreads) {
    self.threads = threads
  }

  func async(_ work: @escaping @Sendable () -> Void) {
    lock.lock()
    pending.append(work)
    let begins = !isRunning
    isRunning = true
    lock.unlock()
    if begins { threads.run { self.runNext() } }
  }

  /// - Parameter delay: At most a second, since others wait behind it.
  func async(after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) {
    Self.delays.run(after: delay) { self.async(work) }
  }

  /// One at a time, so that others have their turn in between.
  private func runNext() {
    lock.lock()
    let work = pending.popFirst()
    lock.unlock()
    work?()
    lock.lock()
    let goesOn = !pending.isEmpty
    isRunning = goesOn
    lock.unlock()
    if goesOn { threads.run { self.runNext() } }
  }
}

/// A thread that sleeps until work is due, and runs what takes no time. A timer of Dispatch needs a file descriptor on
/// Linux, and ends the process where there is none.
struct Delays: Sendable {
  private let queue: DispatchQueue

  init(label: String) {
    queue = DispatchQueue(label: label)
  }

  /// - Parameter delay: Others wait behind it.
  func run(after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) {
    let due = DispatchTime.now() + delay
    queue.async {
      _ = DispatchSemaphore(value: 0).wait(timeout: due)
      work()
    }
  }
}
