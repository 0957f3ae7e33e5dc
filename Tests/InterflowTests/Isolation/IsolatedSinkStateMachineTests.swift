import Combine
import InterflowPrimitives
import InterflowTestSupport
import Testing

@testable import Interflow

@Suite struct IsolatedSinkStateMachineTests {
  private var machine = IsolatedSinkStateMachine<Int, TestError>()
  private var batch = RingBuffer<Int>()

  /// The macro cannot call what changes a value.
  private func check(_ condition: Bool, _ location: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: location)
  }

  @Test mutating func oneDeliveryIsStartedForAllThatComesBeforeItRests() {
    check(machine.linked())
    machine.pending.append(1)
    check(machine.beginsDelivery())
    machine.pending.append(2)
    check(!machine.beginsDelivery())
    check(machine.takeBatch(&batch) == .values)
    #expect(batch.count == 2)
    batch.removeAll()
    check(machine.takeBatch(&batch) == .stop)
    machine.pending.append(3)
    check(machine.beginsDelivery())
  }

  @Test mutating func completionGoesOutWhenNoValueWaits() {
    check(machine.linked())
    machine.pending.append(1)
    check(machine.beginsDelivery())
    check(!machine.completed(.finished))
    #expect(!machine.isOpen)
    check(machine.takeBatch(&batch) == .values)
    batch.removeAll()
    check(machine.takeBatch(&batch) == .completion)
    #expect(machine.phase == .ended)
  }

  @Test mutating func secondCompletionDoesNothing() {
    check(machine.completed(.failure(TestError("first"))))
    check(!machine.completed(.finished))
    check(machine.takeBatch(&batch) == .completion)
    #expect(machine.completion == .failure(TestError("first")))
    check(!machine.completed(.finished))
  }

  @Test mutating func cancellationLeavesNothingToDeliver() {
    check(machine.linked())
    machine.pending.append(1)
    check(machine.beginsDelivery())
    check(!machine.completed(.finished))
    machine.cancelled()
    check(machine.takeBatch(&batch) == .stop)
    #expect(!machine.isOpen)
    check(!machine.linked())
    #expect(machine.completion == nil)
  }

  @Test mutating func onlyTheFirstUpstreamIsWanted() {
    check(machine.linked())
    check(!machine.linked())
  }
}
