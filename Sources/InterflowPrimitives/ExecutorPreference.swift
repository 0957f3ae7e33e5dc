import Synchronization

/// The executor preference of tasks that are started on a thread on which virtual time passes.
///
/// If there is none in the process, looking it up costs one relaxed load of an atomic.
@usableFromInline
package enum ExecutorPreference {
  private static let threadCount = Atomic(0)
  private static let table = Table()

  /// Guarded by `lock`: `executors`.
  private final class Table: @unchecked Sendable {
    let lock = Lock()
    var executors: [UInt: any TaskExecutor] = [:]
  }

  /// The executor for tasks that this thread starts.
  @usableFromInline
  package static var current: (any TaskExecutor)? {
    guard threadCount.load(ordering: .relaxed) > 0 else { return nil }
    table.lock.lock()
    defer { table.lock.unlock() }
    return table.executors[currentThreadIdentity()]
  }

  /// Calls a closure, and makes an executor the preference of the tasks that this thread starts in it.
  package static func with<Result>(_ executor: any TaskExecutor, _ body: () throws -> Result) rethrows -> Result {
    threadCount.wrappingAdd(1, ordering: .relaxed)
    let outer = exchange(executor)
    defer {
      _ = exchange(outer)
      threadCount.wrappingSubtract(1, ordering: .relaxed)
    }
    return try body()
  }

  private static func exchange(_ executor: (any TaskExecutor)?) -> (any TaskExecutor)? {
    let thread = currentThreadIdentity()
    table.lock.lock()
    let last = table.executors[thread]
    table.executors[thread] = executor
    table.lock.unlock()
    return last
  }
}
