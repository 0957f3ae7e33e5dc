import Synchronization

/// The executor that tasks join when they are started on a thread on which virtual time passes.
///
/// Elsewhere there is none, and finding that out costs one relaxed read of an atomic.
@usableFromInline
package enum TaskHome {
  private static let homes = Atomic(0)
  private static let table = Table()

  /// Guarded by `lock`: `executors`.
  private final class Table: @unchecked Sendable {
    let lock = Lock()
    var executors: [UInt: any TaskExecutor] = [:]
  }

  /// The executor for tasks that this thread starts.
  @usableFromInline
  package static var current: (any TaskExecutor)? {
    guard homes.load(ordering: .relaxed) > 0 else { return nil }
    table.lock.lock()
    defer { table.lock.unlock() }
    return table.executors[currentThreadIdentity()]
  }

  /// Makes an executor the one that tasks join which this thread starts in a closure.
  package static func with<Result>(_ executor: any TaskExecutor, _ body: () throws -> Result) rethrows -> Result {
    homes.wrappingAdd(1, ordering: .relaxed)
    let outer = exchange(executor)
    defer {
      _ = exchange(outer)
      homes.wrappingSubtract(1, ordering: .relaxed)
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
