import Dispatch
import Foundation
import InterflowPrimitives
import Testing

@Suite("Lock")
struct LockTests {
  /// Counts up without any protection but the lock's.
  final class Counter: @unchecked Sendable {  // `lock` guards `value`.
    let lock = Lock()
    var value = 0
    var inside = 0
    var overlaps = 0
  }

  @Test func criticalSectionsOfSeveralThreadsNeverOverlap() {
    let counter = Counter()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20_000 {
        counter.lock.lock()
        counter.inside += 1
        if counter.inside != 1 { counter.overlaps += 1 }
        counter.value += 1
        counter.inside -= 1
        counter.lock.unlock()
      }
    }
    #expect(counter.value == 160_000)
    #expect(counter.overlaps == 0)
  }

  @Test func anUnlockedLockCanBeTakenByAnotherThread() {
    let counter = Counter()
    for _ in 0..<1_000 {
      counter.lock.lock()
      counter.value += 1
      counter.lock.unlock()
      DispatchQueue.concurrentPerform(iterations: 2) { _ in
        counter.lock.lock()
        counter.value += 1
        counter.lock.unlock()
      }
    }
    #expect(counter.value == 3_000)
  }

  @Test func threadsThatSleepForItAllGetIt() {
    for _ in 0..<20 {
      let counter = Counter()
      let isStarted = DispatchSemaphore(value: 0)
      let isDone = DispatchSemaphore(value: 0)
      counter.lock.lock()
      for _ in 0..<8 {
        Thread {
          isStarted.signal()
          errno = ENOTTY
          counter.lock.lock()
          counter.value += errno == ENOTTY ? 1 : 0
          counter.lock.unlock()
          isDone.signal()
        }.start()
      }
      for _ in 0..<8 { isStarted.wait() }
      // So that most of them sleep by now; the result does not depend on it.
      usleep(2_000)
      counter.lock.unlock()
      for _ in 0..<8 { isDone.wait() }
      counter.lock.lock()
      #expect(counter.value == 8)
      counter.lock.unlock()
    }
  }

  @Test func assertHeldAcceptsALockThatIsHeldAndLeavesItHeld() {
    let counter = Counter()
    counter.lock.lock()
    counter.lock.assertHeld()
    counter.lock.assertHeld()
    counter.lock.unlock()
  }

  #if DEBUG
    @Test func assertHeldTrapsWithoutTheLock() async {
      await #expect(processExitsWith: .failure) {
        let lock = Lock()
        lock.assertHeld()
      }
    }
  #endif
}
