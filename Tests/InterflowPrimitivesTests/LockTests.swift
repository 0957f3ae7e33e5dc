import Dispatch
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
