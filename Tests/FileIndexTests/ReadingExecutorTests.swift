import Dispatch
import FileIndexCore
import Foundation
import Testing

@Suite("Reading executor")
struct ReadingExecutorTests {
  @Test("Blocked reads leave the threads that tasks share alone", .timeLimit(.minutes(5)))
  func sharedThreadsStayFree() async {
    let executor = ReadingExecutor()
    let blocked = ProcessInfo.processInfo.activeProcessorCount * 2
    let release = DispatchSemaphore(value: 0)
    let (started, starts) = AsyncStream.makeStream(of: Void.self)

    await withTaskGroup { group in
      for _ in 0..<blocked {
        group.addTask(executorPreference: executor) {
          starts.yield()
          release.block()
        }
      }
      // This loop and the signals run on the shared threads: were those blocked, the test would not end.
      var running = started.makeAsyncIterator()
      for _ in 0..<blocked { await running.next() }
      for _ in 0..<blocked { release.signal() }
    }
  }
}

extension DispatchSemaphore {
  /// Waits, also where asynchronous code is told not to: to block is the point here.
  fileprivate func block() { wait() }
}
