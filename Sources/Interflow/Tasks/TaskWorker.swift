import InterflowPrimitives

/// What has workers: a subscription.
@usableFromInline
protocol TaskWorkerOwner: AnyObject {
  /// Starts a worker in a task with the task-local values of the code that runs now.
  func start(_ worker: TaskWorker)
}

/// A task that runs the closure for one value after the other, for as long as values wait.
///
/// It belongs to one subscription, whose lock guards everything mutable.
@usableFromInline
final class TaskWorker: @unchecked Sendable {
  /// What a worker does: given the owner, so that one closure serves all workers of a subscription.
  @usableFromInline typealias Body = (AnyObject, TaskWorker) async -> Void

  /// How many closures run, and as many results are delivered, without a pause, so that a stream which is always ready
  /// does not keep a thread of the pool for as long as it lasts.
  @inlinable static var turn: Int { 64 }

  @usableFromInline let home: (any TaskExecutor)?
  let owner: any TaskWorkerOwner
  let body: Body

  // Used by the worker's own task alone: the priority that it began with.
  @usableFromInline @exclusivity(unchecked) var priority = TaskPriority.medium

  /// Whether the task, which runs this, is as it began. A closure may have cancelled it, or somebody raised its priority,
  /// and that is not for other values.
  @inlinable var isFresh: Bool { !Task.isCancelled && Task.currentPriority == priority }

  /// The number of the value whose closure runs; 0 where none does.
  @usableFromInline @exclusivity(unchecked) var number = 0
  /// Set when the task is known, unless it has ended by then or has been cancelled.
  @exclusivity(unchecked) var task: Task<Void, Never>?
  @exclusivity(unchecked) var isCancelled = false
  @exclusivity(unchecked) var hasEnded = false
  @exclusivity(unchecked) fileprivate(set) var index = 0

  init(home: (any TaskExecutor)?, owner: any TaskWorkerOwner, body: @escaping Body) {
    self.home = home
    self.owner = owner
    self.body = body
  }

  func start() {
    owner.start(self)
  }

  func makeTask(priority: TaskPriority?) -> Task<Void, Never> {
    guard let home else { return Task(priority: priority) { await self.run() } }
    return Task(executorPreference: home, priority: priority) { await self.run() }
  }

  private func run() async {
    await body(owner, self)
  }
}

/// The workers of a subscription that have not ended.
@usableFromInline
struct TaskRoster {
  private(set) var workers: [TaskWorker] = []

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

  /// The tasks of the closures that run for values after a place, to be cancelled once the lock is free. A worker whose
  /// task is not known yet is cancelled by the one who starts it.
  mutating func cancelled(after number: Int) -> [Task<Void, Never>] {
    workers.compactMap { worker in
      guard worker.number > number else { return nil }
      worker.isCancelled = true
      return worker.task.take()
    }
  }
}
