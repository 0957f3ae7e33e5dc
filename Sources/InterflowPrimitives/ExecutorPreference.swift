import Synchronization

/// The executor preference of tasks that are started for another one, or on a thread on which virtual time passes.
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
  ///
  /// If no thread of the process has one, looking it up costs one relaxed load of an atomic.
  @usableFromInline
  package static var current: (any TaskExecutor)? {
    guard threadCount.load(ordering: .relaxed) > 0 else { return nil }
    table.lock.lock()
    defer { table.lock.unlock() }
    return table.executors[currentThreadIdentity()]
  }

  /// The executor for tasks that run beside the current one, but are not its children: those inherit no preference.
  @usableFromInline
  package static var ofCurrentTask: (any TaskExecutor)? {
    if let current { return current }
    guard #available(macOS 26.4, iOS 26.4, watchOS 26.4, tvOS 26.4, visionOS 26.4, *) else { return nil }
    return withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
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
