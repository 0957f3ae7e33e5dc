import Synchronization

/// A task executor whose tasks run on the thread that drives it, and elsewhere while no thread does.
///
/// Its owner drives it while it waits for these tasks: a task that is resumed by the driver's own thread meanwhile runs
/// there, when the driver calls ``runNext()``, without a change of threads. All other jobs go to the executor that the
/// thread which drove it first preferred; see ``ExecutorPreference``.
@usableFromInline
package final class InlineExecutor: TaskExecutor, @unchecked Sendable {
  // `jobs` is used by the thread whose identity is in `driver` only. Drivers follow one another: the owner calls
  // `begin()` only after `end()`. `preferred` is written before the first task is started.
  private let driver = Atomic<UInt>(0)
  @exclusivity(unchecked) private var jobs = RingBuffer<UnownedJob>()
  @exclusivity(unchecked) private var preferred: (any TaskExecutor)?
  @exclusivity(unchecked) private var hasPreferred = false

  @usableFromInline
  package init() {}

  @usableFromInline
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if driver.load(ordering: .relaxed) == currentThreadIdentity() {
      jobs.append(job)
    } else {
      forward(job)
    }
  }

  /// Takes over this thread's preference for all jobs that no driver runs. No task may be started on this executor
  /// before this or ``begin()``.
  package func prefer() {
    if hasPreferred { return }
    hasPreferred = true
    preferred = ExecutorPreference.current
  }

  /// Makes this thread the driver.
  package func begin() {
    prefer()
    driver.store(currentThreadIdentity(), ordering: .relaxed)
  }

  /// Runs the job that has waited longest. Only the driver may call this.
  ///
  /// - Returns: Whether there was one.
  package func runNext() -> Bool {
    guard let job = jobs.popFirst() else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// Leaves the jobs that have not run to the preferred executor. From now on there is no driver.
  package func end() {
    driver.store(0, ordering: .relaxed)
    while let job = jobs.popFirst() { forward(job) }
  }

  /// Runs a job on the preferred executor, but still as a job of this executor: otherwise the task would come back here
  /// at its next suspension point.
  private func forward(_ job: UnownedJob) {
    let priority = TaskPriority(job.priority)
    if let preferred {
      Task.detached(executorPreference: preferred, priority: priority) { self.run(job) }
    } else {
      Task.detached(priority: priority) { self.run(job) }
    }
  }

  private func run(_ job: UnownedJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}
