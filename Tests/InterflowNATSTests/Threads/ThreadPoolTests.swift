import Dispatch
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct ThreadPoolTests {
  @Test func hasNoMoreThreadsThanTheMost() async {
    let pool = ThreadPool("tests", maxThreadCount: 3)
    let (started, done, latch) = (Signal(), Signal(), DispatchSemaphore(value: 0))
    for _ in 0..<20 {
      pool.start {
        started.fire()
        latch.wait()
        done.fire()
      }
    }
    await started.wait(3)
    #expect(pool.threadCount == 3)
    #expect(started.count == 3)
    for _ in 0..<20 { latch.signal() }
    await done.wait(20)
    #expect(pool.threadCount == 3)
  }

  @Test func threadsEndWhereThereIsNothingToDo() async {
    let pool = ThreadPool("tests", maxThreadCount: 3, idleTime: .milliseconds(1))
    let done = Signal()
    for _ in 0..<10 { pool.start { done.fire() } }
    await done.wait(10)
    await until { pool.threadCount == 0 }
    pool.start { done.fire() }
    await done.wait(11)
  }

  /// Threads end while others are woken.
  @Test func nothingIsLostWhileThreadsEnd() async {
    let pool = ThreadPool("tests", maxThreadCount: 4, idleTime: .nanoseconds(1))
    let done = Signal()
    inParallel(3) { _ in
      for number in 0..<1_000 {
        pool.start { done.fire() }
        if number % 10 == 0 { sched_yield() }
      }
    }
    await done.wait(3_000)
    #expect(pool.threadCount <= 4)
    await until { pool.threadCount == 0 }
  }

  @Test func aSerialQueueRunsOneAtATimeInOrder() async {
    let pool = ThreadPool("tests", maxThreadCount: 4)
    let queues = (0..<3).map { _ in SerialQueue(pool) }
    let done = Signal()
    let (running, seen) = (Shared([0, 0, 0]), Shared<[[Int]]>([[], [], []]))
    for number in 0..<500 {
      for (index, queue) in queues.enumerated() {
        queue.async {
          #expect(
            running.update {
              $0[index] += 1; return $0[index]
            } == 1)
          seen.update { $0[index].append(number) }
          running.update { $0[index] -= 1 }
          done.fire()
        }
      }
    }
    await done.wait(1_500)
    #expect(seen.value == Array(repeating: Array(0..<500), count: 3))
  }

  @Test func aSerialQueueThatBlocksLeavesThreadsToOthers() async {
    let pool = ThreadPool("tests", maxThreadCount: 2)
    let (blocked, other) = (SerialQueue(pool), SerialQueue(pool))
    let (latch, done) = (DispatchSemaphore(value: 0), Signal())
    for _ in 0..<10 { blocked.async { latch.wait() } }
    other.async { done.fire() }
    await done.wait()
    for _ in 0..<10 { latch.signal() }
  }

  @Test func aBusySerialQueueGivesOthersTheirTurn() async {
    let pool = ThreadPool("tests", maxThreadCount: 1)
    let (busy, other) = (SerialQueue(pool), SerialQueue(pool))
    let (isOver, done) = (Shared(false), Signal())
    @Sendable func goOn() { if !isOver.value { busy.async { goOn() } } }
    goOn()
    other.async { done.fire() }
    await done.wait()
    isOver.value = true
  }
}
