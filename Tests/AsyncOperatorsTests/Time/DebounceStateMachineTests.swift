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
    #expect(machine.received(due: 2) == true)
    #expect(machine.received(due: 3) == false)
    guard case .setTimer(3) = machine.timerEnded(2) else { return #expect(Bool(false), "too early for the second") }
    #expect(isDelivery(machine.timerEnded(3)))
    #expect(!machine.isDemanded && machine.due == nil)
  }

  @Test func anElementAfterADeliverySetsTheTimerAgain() {
    var machine = Machine()
    _ = machine.received(due: 1)
    #expect(isDelivery(machine.timerEnded(1)))
    #expect(machine.received(due: 5) == true)
  }

  @Test func aTimerWithoutAnElementDeliversNothing() {
    var machine = Machine()
    _ = machine.received(due: 1)
    machine.delivered()
    guard case .nothing = machine.timerEnded(1) else { return #expect(Bool(false), "there is no element") }
    #expect(machine.received(due: 5) == true)
  }
}
