import InterflowPrimitives

/// Starts workers with the task-local values that were in force when it was made, on whatever thread one is needed.
///
/// Nothing but a task can keep task-local values, and nothing but code that runs in it can start others with them. So
/// this is a task, which is suspended while it has nothing to do. It is its own executor: its code runs inside
/// ``start(_:)``, on the thread that calls it, and costs no other thread's time.
@usableFromInline
final class TaskContext: TaskExecutor, @unchecked Sendable {
  // Guarded by `lock`: everything below it. Whoever has taken `waiter` runs the task until it is suspended again.
  private let lock = Lock()
  private var job: UnownedJob?
  private var waiter: UnsafeContinuation<Void, Never>?
  private var workers: [TaskWorker] = []
  private var isOver = false

  /// - Parameter priority: That of nothing: the workers have their own.
  @usableFromInline
  init(priority: TaskPriority?) {
    Task(executorPreference: self, priority: priority) { await self.run() }
    runJobs()
  }

  /// Starts a worker: with the caller's task-local values where this has ended, for there is no work left then.
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

  /// Ends the task. Whoever made this MUST see to it.
  @usableFromInline
  func finish() {
    lock.lock()
    isOver = true
    let waiter = waiter.take()
    lock.unlock()
    wake(waiter)
  }

  private func wake(_ waiter: UnsafeContinuation<Void, Never>?) {
    // Where there is none, somebody runs the task now, and will look again before it is suspended.
    guard let waiter else { return }
    waiter.resume()
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

  /// - Returns: Whether there may be more later. No worker is referred to then, since each keeps its subscription alive.
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
    let isWanted = workers.isEmpty && !isOver
    if isWanted { self.waiter = waiter }
    lock.unlock()
    if !isWanted { waiter.resume() }
  }
}
