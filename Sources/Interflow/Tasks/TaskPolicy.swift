/// The differences between the operators that run a closure for each value.
@frozen
@usableFromInline
struct TaskPolicy: Hashable, Sendable {
  /// The description of the subscription.
  @usableFromInline let name: String

  /// Whether results are delivered in the order of their values; otherwise, in the order in which closures return.
  @usableFromInline let keepsOrder: Bool

  /// Whether a failure of upstream is delivered after the results of the values before it; otherwise, it cancels their
  /// tasks.
  @usableFromInline let failureWaits: Bool

  /// Whether only the completion is delivered, and no results.
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
