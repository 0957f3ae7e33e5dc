/// Starts a task for work whose captures the compiler cannot see are safe to hand over.
///
/// The caller states what makes it safe. The closure is erased here because one that mentions generic types would
/// capture their metatypes too.
package func startTask(
  priority: TaskPriority? = nil, _ work: @escaping () async -> Void
) -> Task<Void, Never> {
  let transfer = UncheckedTransfer(work)
  return Task(executorPreference: TaskPlacement.executor, priority: priority) { await transfer.value() }
}

/// Where the tasks of `startTask` run.
///
/// A task of its own inherits no executor. Tests that have to see that nothing more happens name one here, and run
/// what it is given until nothing is left.
package enum TaskPlacement {
  /// The executor of the tasks that are started while this is set, and by them; the default one where there is none.
  @TaskLocal package static var executor: (any TaskExecutor)?
}
