import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import CombineOperators
@testable import InterflowPrimitives

/// What `combineLatest()` does for a thread that has borrowed its turn, because the owner waits for that thread.
@Suite struct BorrowedTurnTests {
  private let subjects = UncheckedBox((0..<2).map { _ in PassthroughSubject<Int, Never>() })
  private let signals = UncheckedBox(ReplaySubject<Void, Never>(bufferSize: 0))

  /// Sends a one to both publishers. When the subscriber receives an array, it calls a closure. For one array, it waits
  /// until another thread, which it waits for, has called another closure.
  ///
  /// - Returns: The arrays that the subscriber received, and how many of them when the other thread's closure returned.
  private func run(
    waitingIn waiting: [Int], onValue: @escaping ([Int]) -> Void, onOtherThread act: @escaping @Sendable () -> Void
  ) -> (arrays: [[Int]], countThen: Int) {
    let (arrays, countThen, isFirst) = (Shared<[[Int]]>([]), Shared(0), Shared(true))
    let isInWait = Latch()
    let atSignals = signals.value.sink { [signals] in
      guard isFirst.value else { return }
      isFirst.update { $0 = false }
      isInWait.open()
      // The thread that is in the sink below waits for this one.
      while signals.value.turn.word.load(ordering: .relaxed) & Turn.Flag.waiterSleeps == 0 {
        Thread.sleep(forTimeInterval: 0.001)
      }
      act()
      countThen.update { $0 = arrays.value.count }
    }
    let atArrays = subjects.value.combineLatest().sink { [signals] array in
      arrays.update { $0.append(array) }
      onValue(array)
      guard array == waiting else { return }
      let sent = beginOnOtherThread { signals.value.send(()) }
      isInWait.wait()
      signals.value.send(())
      sent.wait()
    }
    for subject in subjects.value { subject.send(1) }
    withExtendedLifetime((atSignals, atArrays)) {}
    return (arrays.value, countThen.value)
  }

  @Test func valueOfABorrowerIsDeliveredWhenItsSendReturns() {
    let (left, right) = (UncheckedBox(subjects.value[0]), subjects.value[1])
    let (arrays, countThen) = run(waitingIn: [1, 1]) {
      // Superseded by the borrower's.
      if $0 == [1, 1] { right.send(2) }
    } onOtherThread: {
      left.value.send(3)
    }
    #expect(arrays == [[1, 1], [3, 2]])
    #expect(countThen == 2)
  }

  @Test func valueOfABorrowerInsideTheSecondDeliveryIsNotLost() {
    let (left, right) = (UncheckedBox(subjects.value[0]), subjects.value[1])
    let (arrays, countThen) = run(waitingIn: [1, 2]) {
      if $0 == [1, 1] { right.send(2) }
    } onOtherThread: {
      left.value.send(3)
    }
    #expect(arrays == [[1, 1], [1, 2], [3, 2]])
    #expect(countThen == 3)
  }
}
