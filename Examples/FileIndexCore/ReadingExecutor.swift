import Dispatch

/// An executor for work that blocks.
///
/// A task that blocks in `read` blocks its thread. In Swift's task pool, which has as many threads as the machine has
/// cores, a few slow files would block all other tasks.
package final class ReadingExecutor: TaskExecutor {
  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A serial queue gets a thread at once. One concurrent queue for all would get as many threads as there are cores,
    // and more only when those have been blocked for a second.
    DispatchQueue(label: "file-index.reading").async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
