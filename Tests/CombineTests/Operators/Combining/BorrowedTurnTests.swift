import Foundation
import InterflowTestSupport
import Synchronization
import Testing

@testable import Combine
@testable import InterflowPrimitives

/// What an operator that joins publishers does for a thread that has borrowed its turn, because the owner waits for
/// that thread.
@Suite struct BorrowedTurnTests {
  @Test func theTupleThatABorrowerSupersedesIsReleased() {
    let counter = LifetimeCounter()
    let log = Shared<[Int]>([])
    let (left, right) = (PassthroughSubject<Tracked, Never>(), PassthroughSubject<Int, Never>())
    let trigger = PassthroughSubject<Void, Never>()
    let isInSink = Latch()
    let calls = Shared(0)
    let atTrigger = trigger.sink {
      guard
        calls.update({
          $0 += 1; return $0
        }) == 1
      else { return }
      isInSink.open()
      // The other thread, which is in the sink below, waits for this one.
      while trigger.core.turn.word.load(ordering: .relaxed) & Turn.Flag.waiterSleeps == 0 {
        Thread.sleep(forTimeInterval: 0.001)
      }
      left.send(Tracked(3, counter))
    }
    let sending = UncheckedBox(trigger)
    let atTuples = left.combineLatest(right).sink { tuple in
      log.update { $0.append(tuple.0.number) }
      guard tuple.0.number == 1 else { return }
      left.send(Tracked(2, counter))
      let sent = beginOnOtherThread { sending.value.send(()) }
      isInSink.wait()
      trigger.send(())
      sent.wait()
    }
    right.send(0)
    left.send(Tracked(1, counter))
    #expect(log.value == [1, 3])
    #expect(counter.count == 1, "only the latest value is held")
    withExtendedLifetime((atTrigger, atTuples)) {}
  }
}
