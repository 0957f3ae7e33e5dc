import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import Interflow

@Suite struct AsyncChannelStateMachineTests {
  private typealias Machine = AsyncChannelStateMachine

  private func sender() -> AsyncChannelSender { AsyncChannelSenderOf(0) }

  private func member(_ demand: Subscribers.Demand) -> AsyncChannelMember {
    let member = AsyncChannelMember(AsyncChannelStorage(), .init(RecordingSubscriber<Int, TestError>()))
    member.isOpen = true
    member.demand = demand
    return member
  }

  private func name(_ step: Machine.Step) -> String {
    switch step {
    case .stop: "stop"
    case .deliver(_, let members): "deliver to \(members.count)"
    case .complete(_, let members): "complete \(members.count)"
    }
  }

  @Test func valueWaitsForAMemberAndItsDemand() {
    var machine = Machine()
    #expect(machine.sent(sender()) == true)
    #expect(name(machine.nextStep()) == "stop")
    let member = self.member(.none)
    #expect(machine.joined(member) == nil)
    #expect(name(machine.nextStep()) == "stop")
    member.demand = .max(1)
    #expect(name(machine.nextStep()) == "deliver to 1")
    #expect(member.demand == .none)
    #expect(name(machine.nextStep()) == "stop")
  }

  @Test func valueThatNobodyHasReceivedIsTheNextAgain() {
    var machine = Machine()
    let senders = [sender(), sender()]
    for sender in senders { #expect(machine.sent(sender) == true) }
    #expect(machine.joined(member(.unlimited)) == nil)
    #expect(name(machine.nextStep()) == "deliver to 1")
    #expect(machine.putBack(senders[0]) == true)
    var delivered: [AsyncChannelSender] = []
    while case .deliver(let sender, _) = machine.nextStep() { delivered.append(sender) }
    #expect(delivered.map(ObjectIdentifier.init) == senders.map(ObjectIdentifier.init))
  }

  @Test func senderThatWasCancelledMeanwhileIsNotPutBack() {
    var machine = Machine()
    let sender = sender()
    #expect(machine.sent(sender) == true)
    #expect(machine.joined(member(.max(1))) == nil)
    #expect(name(machine.nextStep()) == "deliver to 1")
    #expect(machine.withdrew(sender) == false)
    #expect(machine.putBack(sender) == false)
    #expect(machine.senders.isEmpty)
  }

  @Test func everyMemberMustBeReady() {
    var machine = Machine()
    let slow = member(.none)
    _ = machine.joined(member(.unlimited))
    _ = machine.joined(slow)
    _ = machine.sent(sender())
    #expect(name(machine.nextStep()) == "stop")
    #expect(machine.left(slow) == true)
    #expect(machine.left(slow) == false)
    #expect(name(machine.nextStep()) == "deliver to 1")
  }

  @Test func memberIsToldNothingBeforeItKnowsItsSubscription() {
    var machine = Machine()
    let member = self.member(.unlimited)
    member.isOpen = false
    _ = machine.joined(member)
    _ = machine.sent(sender())
    machine.completed(.finished)
    #expect(name(machine.nextStep()) == "stop")
    member.isOpen = true
    #expect(name(machine.nextStep()) == "deliver to 1")
    #expect(name(machine.nextStep()) == "complete 1")
  }

  @Test func sendersThatWithdrewArePassedOver() {
    var machine = Machine()
    let senders = (0..<5).map { _ in sender() }
    for sender in senders { _ = machine.sent(sender) }
    for sender in [senders[0], senders[2]] { #expect(machine.withdrew(sender) == true) }
    #expect(machine.withdrew(senders[2]) == false)
    _ = machine.joined(member(.unlimited))
    var delivered: [Int] = []
    while case .deliver(let sender, _) = machine.nextStep() {
      delivered.append(senders.firstIndex { $0 === sender }!)
    }
    #expect(delivered == [1, 3, 4])
  }

  @Test func queueDoesNotGrowWithSendersThatWithdrew() {
    var machine = Machine()
    for _ in 0..<1_000 {
      let sender = self.sender()
      _ = machine.sent(sender)
      _ = machine.withdrew(sender)
    }
    #expect(machine.senders.isEmpty)
  }

  @Test func completionWaitsForSendersAndNotForThoseWhoWithdrew() {
    var machine = Machine()
    let member = self.member(.max(1))
    let (first, second) = (sender(), sender())
    _ = machine.joined(member)
    _ = machine.sent(first)
    _ = machine.sent(second)
    machine.completed(.finished)
    #expect(machine.sent(sender()) == false)
    #expect(name(machine.nextStep()) == "deliver to 1")
    #expect(name(machine.nextStep()) == "stop")
    _ = machine.withdrew(second)
    #expect(name(machine.nextStep()) == "complete 1")
    #expect("\(machine.joined(self.member(.none)) as Machine.Completion?)".contains("finished"))
  }

  @Test func onlyTheFirstCompletionCounts() {
    var machine = Machine()
    machine.completed(.failure(TestError("first")))
    machine.completed(.finished)
    #expect("\(machine.completion as Machine.Completion?)".contains("first"))
  }

  @Test func oneRunsAtATime() {
    var machine = Machine()
    #expect(machine.beginsDelivery() == true)
    #expect(machine.beginsDelivery() == false)
    _ = machine.nextStep()
    #expect(machine.beginsDelivery() == true)
  }
}
