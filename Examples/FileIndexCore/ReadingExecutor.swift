import Dispatch

/// Threads for work that blocks.
///
/// A task that blocks in `read` holds its thread. On the threads that all tasks share, which are as many as the machine
/// has cores, a few slow files would stop everything else.
package final class ReadingExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "file-index.reading", attributes: .concurrent)

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
