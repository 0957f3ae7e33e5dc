import InterflowPrimitives

/// The owner of workers: a subscription.
@usableFromInline
protocol TaskWorkerOwner: AnyObject {
  /// Starts a worker in a task with the task-local values of the calling code.
  func start(_ worker: TaskWorker)
}

/// A task that runs the closure for one value after the other, as long as values are ready.
///
/// It belongs to one subscription.
@usableFromInline
final class TaskWorker: @unchecked Sendable {
  /// The work of a worker. The owner is a parameter, so that all workers of a subscription share one closure.
  @usableFromInline typealias Body = (AnyObject, TaskWorker) async -> Void

  /// How many closures a worker runs, and how many results it delivers, before it yields. So a stream that always has
  /// values ready does not occupy a thread of the pool all the time.
  @inlinable static var batchLimit: Int { 64 }

  @usableFromInline let executor: (any TaskExecutor)?
  let owner: any TaskWorkerOwner
  let body: Body

  // Used only by the worker's own task: the priority with which the task began.
  @usableFromInline @exclusivity(unchecked) var priority = TaskPriority.medium

  /// Whether the current task, which is this worker's, may run the closure for another value. Not if a closure has
  /// cancelled the task or its priority was raised, which applies to one value only.
  @inlinable var isReusable: Bool { !Task.isCancelled && Task.currentPriority == priority }

  // Guarded by the owner's lock: everything below it.
  /// The number of the value whose closure runs; 0 if none does.
  @usableFromInline @exclusivity(unchecked) var number = 0
  /// Set after the task was started, unless the worker has ended or was cancelled before that.
  @exclusivity(unchecked) var task: Task<Void, Never>?
  @exclusivity(unchecked) var isCancelled = false
  @exclusivity(unchecked) var hasEnded = false
  @exclusivity(unchecked) fileprivate(set) var index = 0

  init(executor: (any TaskExecutor)?, owner: any TaskWorkerOwner, body: @escaping Body) {
    self.executor = executor
    self.owner = owner
    self.body = body
  }

  func start() {
    owner.start(self)
  }

  func makeTask(priority: TaskPriority?) -> Task<Void, Never> {
    guard let executor else { return Task(priority: priority) { await self.run() } }
    return Task(executorPreference: executor, priority: priority) { await self.run() }
  }

  private func run() async {
    await body(owner, self)
  }
}

/// The workers of a subscription that have not ended.
@usableFromInline
struct WorkerList {
  private var workers: [TaskWorker] = []

  @usableFromInline
  init() {}

  mutating func add(_ worker: TaskWorker) {
    worker.index = workers.count
    workers.append(worker)
  }

  mutating func remove(_ worker: TaskWorker) {
    let last = workers.removeLast()
    guard last !== worker else { return }
    workers[worker.index] = last
    last.index = worker.index
  }

  /// Marks the workers whose closures run for values after a number as cancelled.
  ///
  /// - Returns: Their tasks, which the caller cancels without the lock. If a task has not been stored yet, the code
  ///   that starts the worker cancels it.
  mutating func takeTasksToCancel(after number: Int) -> [Task<Void, Never>] {
    workers.compactMap { worker in
      guard worker.number > number else { return nil }
      worker.isCancelled = true
      return worker.task.take()
    }
  }
}
