import Testing

@testable import AsyncOperators

/// The state of inputs that the first one starts.
@Suite struct FanInInnerInputsTests {
  // MARK: Some at a time

  @Test func theFirstInputWaitsForRoom() {
    var machine = FanInStateMachine(.flatMap(.several), count: 1, limit: 2)
    #expect(machine.waitsForRoom() == true)
    #expect(machine.started() == 1)
    #expect(machine.waitsForRoom() == true)
    #expect(machine.started() == 2)
    #expect(machine.waitsForRoom() == false)
    #expect(machine.finished(1) == .resumeFirstInput)
    #expect(machine.started() == 1)
    #expect(machine.waitsForRoom() == false)
    #expect(machine.inputs.count == 3)
  }

  @Test func theLastInputEndsAll() {
    var machine = FanInStateMachine(.flatMap(.several), count: 1, limit: 2)
    _ = machine.started()
    #expect(machine.finished(0) == .nothing)
    #expect(machine.received(1) == .resumeConsumer)
    #expect(machine.take() == .element(1))
    #expect(machine.finished(1) == .stop)
    #expect(machine.take() == .end)
  }

  @Test func theFirstInputEndsAllIfThereIsNoOther() {
    var machine = FanInStateMachine(.flatMap(.several), count: 1, limit: 2)
    _ = machine.started()
    #expect(machine.finished(1) == .nothing)
    #expect(machine.finished(0) == .stop)
    #expect(machine.take() == .end)
  }

  @Test func nothingIsStartedAfterTheEnd() {
    var machine = FanInStateMachine(.flatMap(.several), count: 1, limit: 2)
    machine.cancelled()
    #expect(!machine.wantsInner)
    #expect(machine.started() == nil)
    #expect(machine.replaced() == nil)
  }

  @Test func aFailureComesAfterWhatHasArrived() {
    var machine = FanInStateMachine(.flatMap(.several), count: 1)
    _ = machine.started()
    _ = machine.started()
    _ = machine.received(1)
    #expect(machine.failed(2) == .stop)
    #expect(machine.take() == .element(1))
    #expect(machine.take() == .failure)
    #expect(machine.take() == .end)
  }

  // MARK: The latest

  @Test func anInputWithAnElementIsReplaced() {
    var machine = FanInStateMachine(.flatMap(.latest), count: 1)
    #expect(machine.replaced() == nil)
    #expect(machine.started() == 1)
    _ = machine.received(1)
    #expect(machine.replaced() == 1)
    #expect(machine.take() == .pending)
    #expect(machine.started() == 1)
    #expect(machine.received(1) == .resumeConsumer)
    #expect(machine.take() == .element(1))
  }

  @Test func anInputWhoseElementWasTakenIsReplaced() {
    var machine = FanInStateMachine(.flatMap(.latest), count: 1)
    _ = machine.started()
    _ = machine.received(1)
    _ = machine.take()
    #expect(machine.replaced() == 1)
    #expect(machine.received(1) == nil)
    #expect(machine.finished(0) == .stop)
  }

  /// Its index is not used again before it has answered.
  @Test func theAnswerOfAnInputThatWasReplacedDoesNotCount() {
    for answer in 0..<3 {
      var machine = FanInStateMachine(.flatMap(.latest), count: 1)
      _ = machine.started()
      #expect(machine.replaced() == 1)
      #expect(machine.started() == 2)
      switch answer {
      case 0: #expect(machine.received(1) == nil)
      case 1: #expect(machine.finished(1) == .nothing)
      default: #expect(machine.failed(1) == .nothing)
      }
      #expect(machine.take() == .pending)
      #expect(machine.received(2) == .resumeConsumer)
      #expect(machine.replaced() == 2)
      #expect(machine.started() == 2)
      #expect(machine.replaced() == 2)
      #expect(machine.started() == 1)
    }
  }

  @Test func theLatestInputEndsAllAfterTheFirst() {
    var machine = FanInStateMachine(.flatMap(.latest), count: 1)
    _ = machine.started()
    _ = machine.replaced()
    _ = machine.started()
    #expect(machine.finished(0) == .nothing)
    #expect(machine.finished(1) == .nothing)
    #expect(machine.finished(2) == .stop)
    #expect(machine.take() == .end)
  }

  @Test func anInputThatHasEndedIsNotReplaced() {
    var machine = FanInStateMachine(.flatMap(.latest), count: 1)
    _ = machine.started()
    #expect(machine.finished(1) == .nothing)
    #expect(machine.replaced() == nil)
    #expect(machine.finished(0) == .stop)
  }

  // MARK: The first

  @Test func anotherInputIsWantedOnlyWhenThatBeforeHasEnded() {
    var machine = FanInStateMachine(.flatMap(.first), count: 1)
    #expect(machine.wantsInner)
    _ = machine.started()
    #expect(!machine.wantsInner)
    _ = machine.received(1)
    _ = machine.take()
    #expect(!machine.wantsInner)
    _ = machine.request()
    _ = machine.finished(1)
    #expect(machine.wantsInner)
    #expect(machine.waitsForRoom() == true)
  }
}

/// Rules for inputs of different meanings, and what an operator of its own could ask for.
@Suite struct FanInRuleTests {
  @Test func theLastInputEndsLast() {
    var machine = FanInStateMachine(FanInRule(end: .last), count: 2)
    #expect(machine.finished(0) == .nothing)
    #expect(machine.received(1) == .resumeConsumer)
    #expect(machine.take() == .element(1))
    _ = machine.request()
    #expect(machine.finished(1) == .stop)
    #expect(machine.take() == .end)
  }

  @Test func theFirstInputEndsAllWithoutAnElement() {
    var machine = FanInStateMachine(FanInRule(end: .last, requires: .first), count: 2)
    _ = machine.received(1)
    #expect(machine.finished(0) == .stop)
    #expect(machine.take() == .end)
  }

  @Test func theFirstInputDoesNotEndAllAfterAnElement() {
    var machine = FanInStateMachine(FanInRule(end: .last, requires: .first), count: 2)
    _ = machine.received(0)
    _ = machine.take()
    _ = machine.request()
    #expect(machine.finished(0) == .nothing)
    #expect(machine.finished(1) == .stop)
  }

  @Test func theFirstElementEndsTheOthersOfARace() {
    var machine = FanInStateMachine(.race, count: 3)
    #expect(machine.received(1) == .stopOthers)
    #expect(machine.received(0) == nil)
    #expect(machine.failed(2) == .nothing)
    #expect(machine.finished(0) == .nothing)
    #expect(machine.take() == .element(1))
    #expect(machine.take() == .pending)
    #expect(machine.request() == 1)
    #expect(machine.request() == nil)
    #expect(machine.received(1) == .resumeConsumer)
    #expect(machine.take() == .element(1))
    #expect(machine.finished(1) == .stop)
    #expect(machine.take() == .end)
  }

  @Test func theFirstEndOrFailureEndsRace() {
    var machine = FanInStateMachine(.race, count: 2)
    #expect(machine.finished(0) == .stop)
    #expect(machine.received(1) == nil)
    #expect(machine.take() == .end)
    machine = FanInStateMachine(.race, count: 2)
    #expect(machine.failed(1) == .stop)
    #expect(machine.take() == .failure)
    machine = FanInStateMachine(.race, count: 2)
    _ = machine.received(0)
    #expect(machine.take() == .element(0))
    #expect(machine.failed(1) == .nothing)
    #expect(machine.failed(0) == .stop)
    #expect(machine.take() == .failure)
  }

  /// A rule that no operator has: the engine need not be changed for one.
  @Test func tuplesMayEndWithTheLastInput() {
    var machine = FanInStateMachine(FanInRule(delivers: .all, end: .last), count: 2)
    #expect(machine.received(0) == .nothing)
    #expect(machine.received(1) == .resumeConsumer)
    #expect(machine.take() == .element(0))
    #expect(machine.request() == 0)
    #expect(machine.request() == 1)
    #expect(machine.finished(0) == .nothing)
    #expect(machine.finished(1) == .stop)
    #expect(machine.take() == .end)
  }

  @Test func anyRequiredInputThatEndsWithoutAnElementEndsAll() {
    var machine = FanInStateMachine(FanInRule(end: .all, requires: .first), count: 2)
    #expect(machine.finished(1) == .nothing)
    #expect(machine.finished(0) == .stop)
    #expect(machine.take() == .end)
  }
}
