import Combine
import InterflowTestSupport
import Testing

@testable import Interflow

@Suite struct OneByOneStateMachineTests {
  private typealias Machine = OneByOneStateMachine<Int, TestError>

  private func text(_ order: Machine.Order?) -> String {
    switch order {
    case nil: "refuse"
    case .nothing: "nothing"
    case .handle(let input): "\(input)"
    case .request: "request"
    case .complete(.finished): "finished"
    case .complete(.failure(let error)): error.name
    }
  }

  /// A machine that works on the value 1.
  private func working() -> Machine {
    var machine = Machine()
    _ = machine.linked()
    _ = machine.received(1)
    return machine
  }

  @Test func oneValueIsAskedForAndASecondSubscriptionRefused() {
    var machine = Machine()
    #expect(text(machine.linked()) == "request")
    #expect(text(machine.linked()) == "refuse")
    #expect(text(machine.received(7)) == "7")
    #expect(text(machine.returned()) == "nothing")
    #expect(text(machine.resumed()) == "request")
    #expect(text(machine.received(8)) == "8")
  }

  @Test func resumptionFromInsideCountsWhenTheClosureHasReturned() {
    var machine = working()
    #expect(text(machine.resumed()) == "nothing")
    #expect(text(machine.resumed()) == "nothing")
    #expect(text(machine.returned()) == "request")
    #expect(text(machine.resumed()) == "nothing")
    #expect(text(machine.received(2)) == "2")
    #expect(text(machine.returned()) == "nothing")
  }

  @Test func resumptionWithoutAValueSaysNothing() {
    var machine = Machine()
    #expect(text(machine.resumed()) == "nothing")
    _ = machine.linked()
    #expect(text(machine.resumed()) == "nothing")
    #expect(text(machine.received(1)) == "1")
    #expect(text(machine.returned()) == "nothing")
  }

  @Test func surplusWaitsAndIsServedBeforeMoreIsAskedFor() {
    var machine = working()
    #expect(text(machine.received(2)) == "nothing")
    #expect(text(machine.returned()) == "nothing")
    #expect(text(machine.resumed()) == "2")
    #expect(text(machine.resumed()) == "nothing")
    #expect(text(machine.returned()) == "request")
  }

  @Test func valueBeforeTheSubscriptionWaitsForIt() {
    var machine = Machine()
    #expect(text(machine.received(1)) == "nothing")
    #expect(text(machine.linked()) == "1")
  }

  @Test func completionDoesNotWaitForAResumption() {
    var machine = working()
    _ = machine.returned()
    #expect(text(machine.received(.finished)) == "finished")
    #expect(text(machine.resumed()) == "nothing")
    #expect(text(machine.received(.failure(TestError("late")))) == "nothing")
  }

  @Test func completionFromInsideFollowsTheClosureAndIsToldOnce() {
    var machine = working()
    #expect(text(machine.received(.finished)) == "nothing")
    #expect(text(machine.returned()) == "finished")
    #expect(text(machine.returned()) == "nothing")
  }

  @Test func completionBesideTheClosureOfAResumptionWaits() {
    var machine = working()
    _ = machine.received(2)
    _ = machine.returned()
    #expect(text(machine.resumed()) == "2")
    #expect(text(machine.received(.finished)) == "nothing")
    #expect(text(machine.resumed()) == "nothing")
    #expect(text(machine.returned()) == "finished")
  }

  @Test func completionWaitsForSurplus() {
    var machine = working()
    _ = machine.received(2)
    #expect(text(machine.received(.finished)) == "nothing")
    #expect(text(machine.returned()) == "nothing")
    #expect(text(machine.resumed()) == "2")
    #expect(text(machine.returned()) == "finished")
  }

  @Test func valueAfterTheCompletionIsIgnored() {
    var machine = working()
    _ = machine.received(2)
    _ = machine.received(.failure(TestError("failed")))
    #expect(text(machine.received(3)) == "nothing")
    _ = machine.returned()
    #expect(text(machine.resumed()) == "2")
    #expect(text(machine.returned()) == "failed")
  }

  @Test func nothingHappensAfterCancellation() {
    var machine = working()
    _ = machine.received(2)
    machine.cancelled()
    #expect(text(machine.returned()) == "nothing")
    #expect(text(machine.resumed()) == "nothing")
    #expect(text(machine.received(3)) == "nothing")
    #expect(text(machine.received(.finished)) == "nothing")
    #expect(text(machine.linked()) == "refuse")
  }
}
