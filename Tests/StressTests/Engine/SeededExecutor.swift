import Foundation
import InterflowTestSupport

/// Runs the jobs of a run one at a time, on the thread that asks for it, in an order that the seed decides.
///
/// While it does so it also takes what that thread would hand to the global executor: the tasks that the bridge starts
/// are detached from any preference of an executor.
final class SeededExecutor: TaskExecutor, @unchecked Sendable {  // Touched by the one thread that runs it.
  private var jobs: [UnownedJob] = []
  private var random: Random
  /// What it has seen that no run may do.
  private(set) var failure: String?

  init(seed: UInt64) {
    random = Random(seed)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    add(UnownedJob(job))
  }

  fileprivate func add(_ job: UnownedJob) {
    // A continuation that is resumed twice enqueues its task twice.
    if jobs.contains(where: { $0.identity == job.identity }) {
      failure = "a task was resumed twice"
      return
    }
    jobs.append(job)
  }

  /// Runs a scenario until nothing is left to run.
  func run(_ start: () -> Void) {
    GlobalJobs.redirect(to: self) {
      start()
      var count = 0
      while !jobs.isEmpty, failure == nil {
        let index = Int(random.next() >> 33) % jobs.count
        jobs.swapAt(index, jobs.count - 1)
        jobs.removeLast().runSynchronously(on: asUnownedTaskExecutor())
        count += 1
        if count == 100_000 { failure = "it goes on for ever" }
      }
    }
  }
}

extension UnownedJob {
  /// The job's address.
  fileprivate var identity: UInt { unsafeBitCast(self, to: UInt.self) }  // A job is a pointer to the runtime's object.
}

/// The way of jobs to the global executor, which the runtime lets others replace.
private enum GlobalJobs {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// The executor that takes this thread's jobs.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Set once, before any job is redirected.
  private static let isInstalled: Bool = {
    guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else { return false }
    let hook: Hook = { job, original in
      if let executor = pthread_getspecific(GlobalJobs.key) {
        Unmanaged<SeededExecutor>.fromOpaque(executor).takeUnretainedValue().add(job)
      } else {
        original(job)
      }
    }
    symbol.assumingMemoryBound(to: Optional<Hook>.self).pointee = hook
    return true
  }()

  static func redirect(to executor: SeededExecutor, during body: () -> Void) {
    precondition(isInstalled, "this runtime has no hook for jobs of the global executor")
    pthread_setspecific(key, Unmanaged.passUnretained(executor).toOpaque())
    body()
    pthread_setspecific(key, nil)
  }
}
