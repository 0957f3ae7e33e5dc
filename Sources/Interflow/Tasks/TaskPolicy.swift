/// What sets the ways of working on values with tasks apart.
@frozen
@usableFromInline
struct TaskPolicy: Hashable, Sendable {
  /// What the subscription is described by.
  @usableFromInline let name: String

  /// Whether a result waits for those of the values before; otherwise, results are delivered as they come.
  @usableFromInline let keepsOrder: Bool

  /// Whether a failure of upstream waits for the tasks of the values before; otherwise, it ends them at once.
  @usableFromInline let failureWaits: Bool

  /// Whether nobody wants the results, only the end.
  @usableFromInline let ignoresResults: Bool

  @inlinable
  init(name: String, keepsOrder: Bool, failureWaits: Bool, ignoresResults: Bool = false) {
    self.name = name
    self.keepsOrder = keepsOrder
    self.failureWaits = failureWaits
    self.ignoresResults = ignoresResults
  }

  @inlinable static var task: TaskPolicy { TaskPolicy(name: "Task", keepsOrder: false, failureWaits: false) }
  @inlinable static var concurrentMap: TaskPolicy {
    TaskPolicy(name: "ConcurrentMap", keepsOrder: true, failureWaits: true)
  }
  @inlinable static var sink: TaskPolicy {
    TaskPolicy(name: "TaskSink", keepsOrder: false, failureWaits: true, ignoresResults: true)
  }
  @inlinable static var oneByOneSink: TaskPolicy {
    TaskPolicy(name: "OneByOneSink", keepsOrder: false, failureWaits: true, ignoresResults: true)
  }
  @inlinable static var deferred: TaskPolicy { TaskPolicy(name: "Deferred", keepsOrder: false, failureWaits: false) }
}
