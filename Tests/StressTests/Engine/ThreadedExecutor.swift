import Foundation
import InterflowTestSupport

/// Runs the jobs of a run on several threads, which the seed makes hesitate.
final class ThreadedExecutor: TaskExecutor, @unchecked Sendable {  // `condition` guards everything mutable.
  private let condition = NSCondition()
  private var jobs = [UnownedJob]()
  private var random = Random(0)
  private var isOver = false

  init(threads: Int) {
    for _ in 0..<threads { Thread { self.work() }.start() }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    jobs.append(job)
    condition.signal()
    condition.unlock()
  }

  func reseed(_ seed: UInt64) {
    condition.lock()
    random = Random(seed)
    condition.unlock()
  }

  func shutDown() {
    condition.lock()
    isOver = true
    condition.broadcast()
    condition.unlock()
  }

  private func work() {
    while let (job, hesitation) = next() {
      if hesitation < 8 { for _ in 0..<(hesitation * 64) { spin() } }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  private func next() -> (UnownedJob, hesitation: Int)? {
    condition.lock()
    defer { condition.unlock() }
    while jobs.isEmpty {
      if isOver { return nil }
      condition.wait()
    }
    let index = Int(random.next() >> 33) % jobs.count
    return (jobs.remove(at: index), Int(random.next() >> 59))
  }

  @inline(never)
  private func spin() {}
}
