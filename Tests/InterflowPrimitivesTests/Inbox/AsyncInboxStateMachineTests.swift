import InterflowPrimitives
import Testing

@Suite struct AsyncInboxStateMachineTests {
  private typealias Machine = AsyncInboxStateMachine<Int, StubError, String, Int>

  private struct StubError: Error {}

  @Test func demandIsAskedForBatchByBatch() {
    var machine = Machine(batch: 3)
    #expect(machine.linked("upstream") == 0)
    machine.consumerArrived()
    #expect(machine.takeDemand() == 3)
    #expect(machine.takeDemand() == 0)
    for _ in 1...3 { #expect(machine.received() == .buffer) }
    machine.consumerLeft()
    machine.consumerArrived()
    #expect(machine.takeDemand() == 3)
  }

  @Test func everyConsumerIsAskedFor() {
    var machine = Machine(batch: 1)
    _ = machine.linked("upstream")
    machine.consumerArrived()
    machine.consumerArrived()
    #expect(machine.takeDemand() == 1)
    #expect(machine.takeDemand() == 1)
    #expect(machine.takeDemand() == 0)
  }

  @Test func demandWaitsForUpstream() {
    var machine = Machine(batch: 2)
    machine.consumerArrived()
    #expect(machine.takeDemand() == 0)
    #expect(machine.linked("upstream") == 2)
  }

  @Test func unlimitedDemandIsMadeOnce() {
    var machine = Machine(capacity: .max, keepsOldest: true)
    #expect(machine.linked("upstream") == .max)
    for _ in 0..<10 { _ = machine.received() }
    machine.consumerArrived()
    #expect(machine.takeDemand() == 0)
  }

  @Test func keepingValuesAsksWithoutLimit() {
    var machine = Machine(batch: 1)
    machine.consumerArrived()
    #expect(machine.takeDemand() == 0)
    #expect(machine.bufferWithoutDemand(capacity: 2, keepsOldest: false) == true)
    #expect(machine.bufferWithoutDemand(capacity: 1, keepsOldest: true) == false)
    #expect(machine.linked("upstream") == .max)
    machine.consumerLeft()
    for expected in [Machine.ValueAction.buffer, .buffer, .dropOldest] {
      #expect(machine.received() == expected)
      if expected == .buffer { machine.buffer.append(0) }
    }
  }

  @Test func keepingValuesComesTooLateForAnUpstreamThatIsAskedOneByOne() {
    var machine = Machine(batch: 1)
    _ = machine.linked("upstream")
    #expect(machine.bufferWithoutDemand(capacity: 2, keepsOldest: true) == false)
    machine.consumerArrived()
    #expect(machine.takeDemand() == 1)
    machine.cancelled()
    #expect(machine.bufferWithoutDemand(capacity: 2, keepsOldest: true) == false)
  }

  @Test func secondUpstreamIsRefused() {
    var machine = Machine(batch: 1)
    #expect(machine.linked("first") != nil)
    #expect(machine.linked("second") == nil)
    machine.cancelled()
    #expect(machine.linked("late") == nil)
  }

  @Test func waiterComesBeforeTheBuffer() {
    var machine = Machine(batch: 1)
    machine.consumerArrived()
    machine.waiters.append(7)
    #expect(machine.received() == .resumeWaiter)
    #expect(machine.consumers == 0)
  }

  @Test(arguments: [(true, 2), (true, 0), (false, 2), (false, 0)])
  func capacityDecidesWhoGoes(keepsOldest: Bool, capacity: Int) {
    var machine = Machine(capacity: capacity, keepsOldest: keepsOldest)
    for value in 0..<capacity {
      #expect(machine.received() == .buffer)
      machine.buffer.append(value)
    }
    #expect(machine.received() == (keepsOldest || capacity == 0 ? .drop : .dropOldest))
    #expect(machine.droppedCount == 1)
  }

  @Test func failureComesOnceAfterTheBuffer() {
    var machine = Machine(batch: 1)
    machine.completed(StubError())
    #expect(machine.phase == .closing)
    #expect(machine.takeEnd() != nil)
    #expect(machine.phase == .ended)
    #expect(machine.takeEnd() == nil)
  }

  @Test func completionWithWaitersEndsAtOnce() {
    var machine = Machine(batch: 1)
    _ = machine.linked("upstream")
    machine.waiters.append(1)
    machine.completed(StubError())
    #expect(machine.phase == .ended)
    #expect(machine.waiters.isEmpty)
    #expect(machine.upstream == nil)
    #expect(machine.takeEnd() == nil)
  }

  @Test func cancellationLeavesWhatItsCallerKeeps() {
    var machine = Machine(batch: 3)
    for value in 1...3 {
      #expect(machine.received() == .buffer)
      machine.buffer.append(value)
    }
    #expect(machine.cancelled(keeping: 1).elements == [2, 3])
    #expect(machine.buffer.elements == [1])
    #expect(machine.phase == .closing)
    #expect(machine.received() == .ignore)
    #expect(machine.cancelled().elements == [1])
    #expect(machine.phase == .ended)
  }

  @Test func cancellationAfterTheLastValueCutsNothingOff() {
    var whole = Machine(batch: 1)
    whole.completed(nil)
    whole.cancelled()
    #expect(!whole.isCutOff)
    var unread = Machine(batch: 1)
    unread.buffer.append(1)
    unread.completed(nil)
    unread.cancelled()
    var open = Machine(batch: 1)
    open.cancelled()
    var failed = Machine(batch: 1)
    failed.completed(StubError())
    failed.cancelled()
    #expect([unread, open, failed].map(\.isCutOff) == [true, true, true])
  }

  @Test func nothingIsTakenAfterTheEnd() {
    var machine = Machine(batch: 1)
    machine.completed(nil)
    #expect(machine.received() == .ignore)
    machine.cancelled()
    #expect(machine.received() == .ignore)
    machine.completed(StubError())
    #expect(machine.takeEnd() == nil)
  }
}
