/// Starts a task for work whose captures the compiler cannot see are safe to hand over.
///
/// The caller states what makes it safe. The closure is erased here because one that mentions generic types would
/// capture their metatypes too.
package func startTask(
  priority: TaskPriority? = nil, _ work: @escaping () async -> Void
) -> Task<Void, Never> {
  let transfer = UncheckedTransfer(work)
  guard let home = TaskHome.current else { return Task(priority: priority) { await transfer.value() } }
  return Task(executorPreference: home, priority: priority) { await transfer.value() }
}
