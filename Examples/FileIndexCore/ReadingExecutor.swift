import Dispatch

/// Threads for work that blocks.
///
/// A task that blocks in `read` holds its thread. On the threads that all tasks share, which are as many as the machine
/// has cores, a few slow files would stop everything else.
package final class ReadingExecutor: TaskExecutor {
  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A serial queue gets a thread at once. One concurrent queue for all would get as many as there are cores, and more
    // only a second after those were seen to be blocked.
    DispatchQueue(label: "file-index.reading").async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
