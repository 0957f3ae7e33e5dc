import Foundation
import InterflowTestSupport

/// A task executor with threads of its own: tests block them without taking them from other tests.
final class ThreadPool: TaskExecutor, @unchecked Sendable {
  private let condition = NSCondition()
  // Guarded by `condition`: everything below it.
  private var jobs: [UnownedJob] = []
  private var isOver = false

  private static let jobs = Shared(0)

  /// How many jobs the threads of all pools have run.
  static var jobCount: Int { jobs.value }

  init(_ count: Int) {
    for _ in 0..<count { Thread { self.work() }.start() }
  }

  /// Ends the threads. Nothing may run on them after that.
  func finish() {
    condition.withLock {
      isOver = true
      condition.broadcast()
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      condition.signal()
    }
  }

  private func work() {
    while let job = next() {
      Self.jobs.update { $0 += 1 }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  private func next() -> UnownedJob? {
    condition.lock()
    defer { condition.unlock() }
    while jobs.isEmpty {
      if isOver { return nil }
      condition.wait()
    }
    return jobs.removeFirst()
  }
}

extension ThreadPool {
  /// Runs a closure on this executor.
  func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result {
    await Task(executorPreference: self) { await body() }.value
  }
}
