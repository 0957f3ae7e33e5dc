/// Starts a task with a closure that is not `Sendable`.
///
/// The caller states why that is safe. The closure is not generic, since one that mentions generic types would capture
/// their metatypes too.
package func startTask(
  on executor: (any TaskExecutor)? = ExecutorPreference.current, priority: TaskPriority? = nil,
  _ work: @escaping () async -> Void
) -> Task<Void, Never> {
  let transfer = UncheckedTransfer(work)
  guard let executor else { return Task(priority: priority) { await transfer.value() } }
  return Task(executorPreference: executor, priority: priority) { await transfer.value() }
}
