import Testing

@testable import AsyncOperators

@Suite struct FanInStateMachineTests {
  // MARK: Any

  @Test func elementsAreTakenInTheOrderInWhichTheyArrived() {
    var machine = FanInStateMachine(.merge, count: 3)
    #expect(machine.take() == .pending)
    #expect(machine.received(2) == .resumeConsumer)
    #expect(machine.received(0) == .resumeConsumer)
    #expect(machine.take() == .element(2))
    #expect(machine.take() == .element(0))
    #expect(machine.take() == .pending)
  }

  @Test func theInputThatDeliveredLongestAgoIsAskedFirst() {
    var machine = FanInStateMachine(FanInRule(end: .last), count: 2)
    #expect(machine.request() == nil)
    _ = machine.received(1)
    _ = machine.received(0)
    _ = machine.take()
    _ = machine.take()
    #expect(machine.request() == 1)
    #expect(machine.request() == 0)
    #expect(machine.request() == nil)
  }

  @Test func anInputIsNotAskedBeforeItsElementIsTaken() {
    var machine = FanInStateMachine(.merge, count: 2)
    _ = machine.received(0)
    #expect(machine.request() == nil)
    #expect(machine.inputs == [.arrived, .requested])
  }

  @Test func anInputIsAskedWhenItsElementIsTaken() {
    var machine = FanInStateMachine(.merge, count: 2)
    _ = machine.received(0)
    _ = machine.received(1)
    #expect(machine.take() == .element(0))
    #expect(machine.inputs == [.requested, .arrived])
    #expect(machine.request() == nil)
  }

  @Test func theLastInputEndsAny() {
    var machine = FanInStateMachine(.merge, count: 2)
    #expect(machine.finished(0) == .nothing)
    #expect(machine.received(1) == .resumeConsumer)
    #expect(machine.take() == .element(1))
    #expect(machine.request() == nil)
    #expect(machine.finished(1) == .stop)
    #expect(machine.take() == .end)
    #expect(machine.take() == .end)
  }

  @Test func aFailureComesAfterWhatHasArrived() {
    var machine = FanInStateMachine(.merge, count: 3)
    _ = machine.received(1)
    #expect(machine.failed(0) == .stop)
    #expect(machine.received(2) == nil)
    #expect(machine.failed(2) == .nothing)
    #expect(machine.take() == .element(1))
    #expect(machine.request() == nil)
    #expect(machine.take() == .failure)
    #expect(machine.take() == .end)
  }

  @Test func cancellingDropsWhatHasArrived() {
    var machine = FanInStateMachine(.merge, count: 2)
    _ = machine.received(1)
    machine.cancelled()
    #expect(machine.isReady)
    #expect(machine.take() == .end)
    #expect(machine.received(0) == nil)
    #expect(machine.finished(0) == .nothing)
  }

  @Test func withoutInputsItHasEnded() {
    var machine = FanInStateMachine(.merge, count: 0)
    #expect(machine.take() == .end)
  }

  // MARK: All

  @Test func allWaitsForEachInput() {
    var machine = FanInStateMachine(.zip, count: 2)
    #expect(machine.received(1) == .nothing)
    #expect(machine.take() == .pending)
    #expect(machine.received(0) == .resumeConsumer)
    #expect(machine.take() == .element(0))
    #expect(machine.take() == .pending)
    #expect(machine.request() != nil)
    #expect(machine.request() != nil)
    #expect(machine.request() == nil)
  }

  @Test func oneInputEndsAll() {
    var machine = FanInStateMachine(.zip, count: 2)
    _ = machine.received(1)
    #expect(machine.finished(0) == .stop)
    #expect(machine.take() == .end)
  }

  @Test func aFailureDropsPartsOfATuple() {
    var machine = FanInStateMachine(.zip, count: 2)
    _ = machine.received(1)
    #expect(machine.failed(0) == .stop)
    #expect(machine.take() == .failure)
    #expect(machine.take() == .end)
  }

  // MARK: Latest

  @Test func anInputThatEndsWithoutAnElementEndsLatest() {
    var machine = FanInStateMachine(.combineLatest, count: 2)
    _ = machine.received(0)
    #expect(machine.finished(1) == .stop)
    #expect(machine.take() == .end)
  }

  @Test func anInputThatHasDeliveredDoesNotEndLatest() {
    var machine = FanInStateMachine(.combineLatest, count: 2)
    _ = machine.received(0)
    #expect(machine.take() == .element(0))
    _ = machine.request()
    #expect(machine.finished(0) == .nothing)
    #expect(machine.received(1) == .resumeConsumer)
    #expect(machine.take() == .element(1))
    _ = machine.request()
    #expect(machine.finished(1) == .stop)
    #expect(machine.take() == .end)
  }

  // MARK: First

  @Test func theFirstInputEndsFirst() {
    var machine = FanInStateMachine(FanInRule(end: .first), count: 2)
    #expect(machine.received(1) == .resumeConsumer)
    #expect(machine.finished(0) == .stop)
    #expect(machine.take() == .element(1))
    #expect(machine.take() == .end)
  }

  @Test func anotherInputDoesNotEndFirst() {
    var machine = FanInStateMachine(FanInRule(end: .first), count: 2)
    #expect(machine.finished(1) == .nothing)
    #expect(machine.take() == .pending)
    #expect(machine.received(0) == .resumeConsumer)
    #expect(machine.take() == .element(0))
  }
}
