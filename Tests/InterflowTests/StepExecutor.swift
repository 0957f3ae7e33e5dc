import InterflowPrimitives
import InterflowTestSupport

/// Runs the tasks that the bridge starts on the test's own thread, when the test says so, until nothing is left to run.
/// So a test sees that something does not happen.
final class StepExecutor: TaskExecutor {
  private let jobs = Shared<[UnownedJob]>([])

  /// How many tasks are ready to run.
  var readyCount: Int { jobs.value.count }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.update { $0.append(job) }
  }

  /// Runs a closure; the tasks that the bridge starts meanwhile wait here.
  func hold<Result>(_ body: () throws -> Result) rethrows -> Result {
    try ExecutorPreference.with(self, body)
  }

  /// Runs a closure, and then what it leaves to run.
  @discardableResult
  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    let result = try hold(body)
    runUntilIdle()
    return result
  }

  /// Runs tasks until each waits for something or has ended.
  func runUntilIdle() {
    hold { while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) } }
  }

  private func next() -> UnownedJob? {
    jobs.update { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
