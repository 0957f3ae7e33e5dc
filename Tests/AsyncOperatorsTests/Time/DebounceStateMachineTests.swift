import InterflowTesting
import Testing

@testable import AsyncOperators

@Suite struct DebounceStateMachineTests {
  private typealias Machine = DebounceStateMachine<VirtualTime>

  private func isDelivery(_ action: Machine.TimerAction) -> Bool {
    if case .deliver = action { true } else { false }
  }

  @Test func oneTimerServesAllElements() {
    var machine = Machine()
    machine.demanded()
    #expect(machine.received(due: 2, at: 0) && machine.setsTimer())
    #expect(machine.received(due: 3, at: 1) && !machine.setsTimer())
    guard case .setTimer(3) = machine.timerEnded(2) else { return #expect(Bool(false), "too early for the second") }
    #expect(isDelivery(machine.timerEnded(3)))
    #expect(!machine.isDemanded && machine.due == nil)
  }

  @Test func anElementAfterADeliverySetsTheTimerAgain() {
    var machine = Machine()
    #expect(machine.received(due: 1, at: 0) && machine.setsTimer())
    #expect(isDelivery(machine.timerEnded(1)))
    #expect(machine.received(due: 5, at: 4) && machine.setsTimer())
  }

  @Test func aTimerWithoutAnElementDeliversNothing() {
    var machine = Machine()
    #expect(machine.received(due: 1, at: 0) && machine.setsTimer())
    machine.delivered()
    guard case .nothing = machine.timerEnded(1) else { return #expect(Bool(false), "there is no element") }
    #expect(machine.received(due: 5, at: 4) && machine.setsTimer())
  }

  @Test func anElementThatIsDueIsReplacedOnlyOnDemand() {
    var machine = Machine()
    #expect(machine.received(due: 1, at: 0) && machine.takesNext(at: 0))
    #expect(machine.received(due: 1.5, at: 0.5) && machine.takesNext(at: 0.5))
    #expect(!machine.received(due: 3, at: 2) && !machine.takesNext(at: 2))
    #expect(machine.due == 1.5 && machine.isDue(2))
    machine.delivered()
    #expect(machine.due == 3 && !machine.isDue(2) && machine.takesNext(at: 2))
    machine.demanded()
    #expect(machine.received(due: 5, at: 4) && machine.takesNext(at: 4))
  }

  @Test func theTimerIsSetAgainForTheElementBehind() {
    var machine = Machine()
    #expect(machine.received(due: 1, at: 0) && machine.setsTimer())
    #expect(!machine.received(due: 3, at: 2) && !machine.setsTimer())
    machine.delivered()
    #expect(machine.timerPassed() == 3 && machine.hasTimer)
    machine.delivered()
    #expect(machine.timerPassed() == nil && !machine.hasTimer)
  }
}
