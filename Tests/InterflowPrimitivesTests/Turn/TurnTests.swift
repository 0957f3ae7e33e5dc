import Dispatch
import Foundation
import InterflowPrimitives
import InterflowTestSupport
import Synchronization
import Testing

@Suite("Turn")
struct TurnTests {
  /// Counts up with no protection but the turn's.
  final class Counter: @unchecked Sendable {  // `turn` guards the rest.
    let turn = Turn()
    var value = 0
    var inside = 0
    var overlaps = 0
    var workDone = 0

    func enter(_ me: UInt) -> UInt { turn.enter(me) }
    func tryEnter(_ me: UInt) -> Bool { turn.tryEnter(me) }
    func leave(_ me: UInt, _ previous: UInt) -> Bool { turn.leave(me, previous) }
    func isOwned(by thread: UInt) -> Bool { turn.isOwned(by: thread) }
    func enterOrRequestWork(_ me: UInt) -> UInt? { turn.enterOrRequestWork(me) }
    func clearWork() { turn.clearWork() }
    var hasWork: Bool { turn.hasWork }
    func perform(_ work: () -> Void) { turn.perform(work) }

    func countUp() {
      let me = currentThreadIdentity()
      let previous = turn.enter(me)
      inside += 1
      if inside != 1 { overlaps += 1 }
      value += 1
      inside -= 1
      while !turn.leave(me, previous) {
        turn.clearWork()
        workDone += 1
      }
    }
  }

  @Test func workRequestedFromInsideItIsDoneAfterIt() {
    let counter = Counter()
    var depth = 0
    func work() {
      depth += 1
      #expect(depth == 1)
      counter.workDone += 1
      if counter.workDone < 1_000 { counter.perform(work) }
      depth -= 1
    }
    counter.perform(work)
    #expect(counter.workDone == 1_000)
    #expect(!counter.hasWork)
  }

  @Test func workOfSeveralThreadsIsDoneOneAtATimeAndNoneIsMissed() {
    let counter = Counter()
    let requested = Atomic(0)
    inParallel(4) { _ in
      for _ in 0..<5_000 {
        requested.wrappingAdd(1, ordering: .relaxed)
        counter.perform {
          counter.inside += 1
          if counter.inside != 1 { counter.overlaps += 1 }
          counter.value = requested.load(ordering: .relaxed)
          counter.inside -= 1
        }
      }
    }
    #expect(counter.overlaps == 0)
    #expect(counter.value == 20_000)
  }

  @Test func turnsOfSeveralThreadsNeverOverlap() {
    let counter = Counter()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20_000 { counter.countUp() }
    }
    #expect(counter.value == 160_000)
    #expect(counter.overlaps == 0)
  }

  @Test func itsOwnerEntersItOnceMore() {
    let turn = Counter()
    let me = currentThreadIdentity()
    #expect(turn.enter(me) == 0)
    #expect(turn.enter(me) == me)
    #expect(turn.leave(me, me))
    #expect(turn.isOwned(by: me))
    #expect(turn.leave(me, 0))
    #expect(!turn.isOwned(by: me))
    #expect(turn.tryEnter(me))
  }

  @Test func workThatIsLeftIsDoneBeforeTheTurnIsGivenUp() {
    let counter = Counter()
    let me = currentThreadIdentity()
    let previous = counter.enter(me)
    onOtherThread { #expect(counter.enterOrRequestWork(currentThreadIdentity()) == nil) }
    #expect(counter.hasWork)
    #expect(!counter.leave(me, previous))
    #expect(counter.isOwned(by: me))
    counter.clearWork()
    #expect(counter.leave(me, previous))
    onOtherThread {
      let me = currentThreadIdentity()
      #expect(counter.enterOrRequestWork(me) == 0)
      #expect(counter.leave(me, 0))
    }
  }

  @Test func workIsNeverLostAmongThreadsThatWait() {
    let counter = Counter()
    let requested = Atomic(0)
    let served = Atomic(0)
    let lock = Lock()
    inParallel(4) { thread in
      let me = currentThreadIdentity()
      for _ in 0..<5_000 {
        if thread < 2 { counter.countUp() }
        lock.lock()
        requested.wrappingAdd(1, ordering: .relaxed)
        let previous = counter.enterOrRequestWork(me)
        lock.unlock()
        guard previous == 0 else { continue }
        repeat {
          counter.clearWork()
          lock.lock()
          served.store(requested.load(ordering: .relaxed), ordering: .relaxed)
          lock.unlock()
        } while !counter.leave(me, 0)
      }
    }
    // What is requested last is served by whoever has the turn; nobody has left it behind.
    #expect(!counter.hasWork)
    #expect(counter.overlaps == 0)
  }

  /// Counts turns, not time: how many a thread misses from its call on until it has its own.
  @Test func aWaitingThreadIsPassedOverABoundedNumberOfTimes() {
    let counter = Counter()
    let taken = Atomic(0)
    let mostMissed = Atomic(0)
    let threads = 10
    inParallel(threads) { _ in
      let me = currentThreadIdentity()
      for _ in 0..<300 {
        let before = taken.load(ordering: .relaxed)
        let previous = counter.enter(me)
        let missed = taken.wrappingAdd(1, ordering: .relaxed).oldValue - before
        spin(microseconds: 20)
        _ = counter.leave(me, previous)
        _ = mostMissed.max(missed, ordering: .relaxed)
      }
    }
    // The nine others take 2,700 turns. One that runs on while somebody waits takes them all at a stretch.
    #expect(taken.load(ordering: .relaxed) == 3_000)
    #expect(mostMissed.load(ordering: .relaxed) < 1_500)
  }
}

/// Keeps the thread busy.
private func spin(microseconds: UInt64) {
  let end = DispatchTime.now().uptimeNanoseconds + microseconds * 1_000
  while DispatchTime.now().uptimeNanoseconds < end {}
}
