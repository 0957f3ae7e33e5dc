/// What sets the ways of working on values with tasks apart.
struct TaskPolicy: Hashable, Sendable {
  /// What the subscription is described by.
  let name: String

  /// Whether a result waits for those of the values before; otherwise, results are delivered as they come.
  let keepsOrder: Bool

  /// Whether a failure of upstream waits for the tasks of the values before; otherwise, it ends them at once.
  let failureWaits: Bool

  static let task = TaskPolicy(name: "Task", keepsOrder: false, failureWaits: false)
  static let concurrentMap = TaskPolicy(name: "ConcurrentMap", keepsOrder: true, failureWaits: true)
  static let sink = TaskPolicy(name: "TaskSink", keepsOrder: false, failureWaits: true)
  static let deferred = TaskPolicy(name: "Deferred", keepsOrder: false, failureWaits: false)
}
