import Dispatch
import FileIndexCore
import Foundation
import Testing

@Suite("Reading executor")
struct ReadingExecutorTests {
  @Test("Blocked reads leave the threads that tasks share alone")
  func sharedThreadsStayFree() async {
    let executor = ReadingExecutor()
    let blocked = ProcessInfo.processInfo.activeProcessorCount * 2
    let (started, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let reads = (0..<blocked).map { _ in
      Task(executorPreference: executor) {
        started.signal()
        release.block()
      }
    }
    let (count, answers) = await withCheckedContinuation { continuation in
      // Watched from a thread that is nobody's: were the shared ones blocked, nothing on them could say so. The deadline
      // only bounds how long a defect keeps the tests waiting: other tests may block the shared threads for minutes under
      // a sanitizer.
      Thread {
        let deadline = DispatchTime.now() + 1_200
        let count = (0..<blocked).prefix { _ in started.wait(timeout: deadline) == .success }.count
        let answered = DispatchSemaphore(value: 0)
        Task.detached { answered.signal() }
        let answers = answered.wait(timeout: deadline) == .success
        for _ in 0..<blocked { release.signal() }
        continuation.resume(returning: (count, answers))
      }.start()
    }
    #expect(count == blocked, "each read should have a thread")
    #expect(answers, "a task should find a thread that all share")
    for read in reads { await read.value }
  }
}

extension DispatchSemaphore {
  /// Waits, also where asynchronous code is told not to: to block is the point here.
  fileprivate func block() { wait() }
}
