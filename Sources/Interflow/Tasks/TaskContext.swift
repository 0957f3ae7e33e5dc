import InterflowPrimitives

/// Starts workers with the task-local values that were in force when it was made. It can do so on any thread.
///
/// Only a task can keep task-local values, and only code that runs in that task can start other tasks with them. So
/// this is a task, which is suspended when it has nothing to do. It is its own executor: its code runs inside
/// ``start(_:)``, on the calling thread, so no other thread has to be scheduled.
@usableFromInline
final class TaskContext: TaskExecutor, @unchecked Sendable {
  // Guarded by `lock`: everything below it. The thread that has taken `waiter` runs the task until it is suspended
  // again.
  private let lock = Lock()
  private var job: UnownedJob?
  private var waiter: UnsafeContinuation<Void, Never>?
  private var workers: [TaskWorker] = []
  private var isOver = false

  /// - Parameter priority: The priority of this task. The workers have their own.
  @usableFromInline
  init(priority: TaskPriority?) {
    Task(executorPreference: self, priority: priority) { await self.run() }
    runJobs()
  }

  /// Starts a worker. After ``finish()``, the worker gets the caller's task-local values, which does not matter, since
  /// no closure will run.
  @usableFromInline
  func start(_ worker: TaskWorker) {
    lock.lock()
    if isOver {
      lock.unlock()
      return worker.start()
    }
    workers.append(worker)
    let waiter = waiter.take()
    lock.unlock()
    wake(waiter)
  }

  /// Ends the task. MUST be called, since the task would stay suspended otherwise.
  @usableFromInline
  func finish() {
    lock.lock()
    isOver = true
    let waiter = waiter.take()
    lock.unlock()
    wake(waiter)
  }

  private func wake(_ waiter: UnsafeContinuation<Void, Never>?) {
    // Without a continuation, another thread runs the task now, and checks again before the task is suspended.
    guard let waiter else { return }
    waiter.wake()
    runJobs()
  }

  // MARK: The executor

  @usableFromInline
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    lock.lock()
    self.job = job
    lock.unlock()
  }

  private func runJobs() {
    while let job = takeJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func takeJob() -> UnownedJob? {
    lock.lock()
    let job = job.take()
    lock.unlock()
    return job
  }

  // MARK: The task

  private func run() async {
    while startWorkers() { await withUnsafeContinuation { park($0) } }
  }

  /// A function of its own, so that the task retains no worker while it is suspended: a worker retains the
  /// subscription.
  ///
  /// - Returns: Whether there may be more workers later.
  private func startWorkers() -> Bool {
    lock.lock()
    let workers = workers
    self.workers = []
    let isOver = isOver
    lock.unlock()
    for worker in workers { worker.start() }
    return !isOver
  }

  private func park(_ waiter: UnsafeContinuation<Void, Never>) {
    lock.lock()
    let isIdle = workers.isEmpty && !isOver
    if isIdle { self.waiter = waiter }
    lock.unlock()
    if !isIdle { waiter.wake() }
  }
}
