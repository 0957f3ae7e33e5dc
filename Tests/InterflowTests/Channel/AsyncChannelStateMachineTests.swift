import Combine
import Testing

@testable import Interflow

@Suite struct AsyncChannelStateMachineTests {
  private final class StubSender: AsyncChannelSender {
    var isWaiting = true
  }

  private final class StubMember: AsyncChannelMember {
    var isOpen = true
    var demand: Subscribers.Demand

    init(_ demand: Subscribers.Demand) { self.demand = demand }
  }

  private typealias Machine = AsyncChannelStateMachine<StubSender, StubMember, TestError>

  private func name(_ step: Machine.Step) -> String {
    switch step {
    case .rest: "rest"
    case .deliver(_, let members): "deliver to \(members.count)"
    case .complete(_, let members): "complete \(members.count)"
    }
  }

  @Test func valueWaitsForAMemberAndItsDemand() {
    var machine = Machine()
    #expect(machine.sent(StubSender()) == true)
    #expect(name(machine.nextStep()) == "rest")
    let member = StubMember(.none)
    #expect(machine.joined(member) == nil)
    #expect(name(machine.nextStep()) == "rest")
    member.demand = .max(1)
    #expect(name(machine.nextStep()) == "deliver to 1")
    #expect(member.demand == .none)
    #expect(name(machine.nextStep()) == "rest")
  }

  @Test func everyMemberMustBeReady() {
    var machine = Machine()
    let slow = StubMember(.none)
    _ = machine.joined(StubMember(.unlimited))
    _ = machine.joined(slow)
    _ = machine.sent(StubSender())
    #expect(name(machine.nextStep()) == "rest")
    #expect(machine.left(slow) == true)
    #expect(machine.left(slow) == false)
    #expect(name(machine.nextStep()) == "deliver to 1")
  }

  @Test func memberIsToldNothingBeforeItKnowsItsSubscription() {
    var machine = Machine()
    let member = StubMember(.unlimited)
    member.isOpen = false
    _ = machine.joined(member)
    _ = machine.sent(StubSender())
    machine.completed(.finished)
    #expect(name(machine.nextStep()) == "rest")
    member.isOpen = true
    #expect(name(machine.nextStep()) == "deliver to 1")
    #expect(name(machine.nextStep()) == "complete 1")
  }

  @Test func sendersThatWithdrewArePassedOver() {
    var machine = Machine()
    let senders = (0..<5).map { _ in StubSender() }
    for sender in senders { _ = machine.sent(sender) }
    for sender in [senders[0], senders[2]] { #expect(machine.withdrew(sender) == true) }
    #expect(machine.withdrew(senders[2]) == false)
    _ = machine.joined(StubMember(.unlimited))
    var delivered: [Int] = []
    while case .deliver(let sender, _) = machine.nextStep() {
      delivered.append(senders.firstIndex { $0 === sender }!)
    }
    #expect(delivered == [1, 3, 4])
  }

  @Test func queueDoesNotGrowWithSendersThatWithdrew() {
    var machine = Machine()
    for _ in 0..<1_000 {
      let sender = StubSender()
      _ = machine.sent(sender)
      _ = machine.withdrew(sender)
    }
    #expect(machine.senders.isEmpty)
  }

  @Test func completionWaitsForSendersAndNotForThoseWhoWithdrew() {
    var machine = Machine()
    let member = StubMember(.max(1))
    let (first, second) = (StubSender(), StubSender())
    _ = machine.joined(member)
    _ = machine.sent(first)
    _ = machine.sent(second)
    machine.completed(.finished)
    #expect(machine.sent(StubSender()) == false)
    #expect(name(machine.nextStep()) == "deliver to 1")
    #expect(name(machine.nextStep()) == "rest")
    _ = machine.withdrew(second)
    #expect(name(machine.nextStep()) == "complete 1")
    #expect(machine.joined(StubMember(.none)) == .finished)
  }

  @Test func onlyTheFirstCompletionCounts() {
    var machine = Machine()
    machine.completed(.failure(TestError("first")))
    machine.completed(.finished)
    #expect(machine.completion == .failure(TestError("first")))
  }

  @Test func oneRunsAtATime() {
    var machine = Machine()
    #expect(machine.mayRun() == true)
    #expect(machine.mayRun() == false)
    _ = machine.nextStep()
    #expect(machine.mayRun() == true)
  }
}
