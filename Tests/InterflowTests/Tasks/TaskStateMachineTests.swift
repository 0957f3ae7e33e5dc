import Combine
import InterflowTestSupport
import Testing

@testable import Interflow

@Suite struct TaskStateMachineTests {
  private typealias Machine = TaskStateMachine<Int, String, TestError, String>

  private func machine(
    _ slots: Subscribers.Demand, _ buffering: BufferingPolicy? = nil, _ policy: TaskPolicy = .task
  ) -> Machine {
    var machine = Machine(slots: slots, buffering: buffering, policy: policy)
    _ = machine.linked()
    _ = machine.opened()
    _ = next(&machine)
    return machine
  }

  /// Asks for results while there are none.
  private func ask(_ machine: inout Machine, _ demand: Subscribers.Demand) {
    _ = machine.requested(demand)
    _ = next(&machine)
  }

  private func started(_ effects: Machine.Effects) -> [Int] { effects.starts.map(\.input) }

  private func next(_ machine: inout Machine) -> (String, Machine.Effects) {
    var effects = Machine.Effects()
    switch machine.nextDelivery(adding: .none, &effects) {
    case .rest: return ("rest", effects)
    case .value(let value): return (value, effects)
    case .completion(.finished): return ("finished", effects)
    case .completion(.failure(let error)): return (error.name, effects)
    }
  }

  @Test func upstreamIsAskedWithTheFirstDemandForAsManyAsMayRun() {
    var machine = Machine(slots: .max(3), buffering: nil)
    #expect(machine.linked().request == .none)
    #expect(machine.opened().request == .none)
    #expect(machine.requested(.max(1)).request == .max(3))
    #expect(machine.requested(.max(1)).request == .none)
  }

  @Test func lateUpstreamIsAskedAtOnce() {
    var machine = Machine(slots: .max(3), buffering: nil)
    #expect(machine.requested(.max(1)).request == .none)
    #expect(machine.linked().request == .max(3))
  }

  @Test func withAPolicyUpstreamIsAskedWithoutLimitAndNothingRunsYet() {
    var machine = Machine(slots: .max(1), buffering: .unbounded)
    #expect(machine.linked().request == .none)
    #expect(machine.opened().request == .unlimited)
    #expect(started(machine.received(1)) == [])
    #expect(started(machine.received(2)) == [])
    let effects = machine.requested(.unlimited)
    #expect(started(effects) == [1])
    #expect(effects.request == .none)
  }

  @Test func withAPolicyTheFirstDemandAsksUpstreamWithoutLimitOnce() {
    var machine = Machine(slots: .max(1), buffering: .bufferingOldest(0))
    #expect(machine.linked().request == .none)
    #expect(machine.requested(.max(1)).request == .unlimited)
    #expect(started(machine.received(1)) == [1])
    #expect(machine.opened().request == .none)
    #expect(machine.requested(.max(1)).request == .none)
  }

  @Test func deliveredResultMakesRoomForOneMore() {
    var machine = machine(.max(2))
    ask(&machine, .max(1))
    let first = machine.received(1).starts[0].id
    let second = machine.received(2).starts[0].id
    #expect(machine.taskReturned(second, "two").delivers)
    _ = machine.taskReturned(first, "one")
    let (value, effects) = next(&machine)
    #expect(value == "two")
    #expect(effects.request == .max(1))
    let (rest, none) = next(&machine)
    #expect(rest == "rest")
    #expect(none.request == .none)
  }

  @Test func surplusOfARuleBreakerWaitsAndIsServedBeforeMoreIsAskedFor() {
    var machine = machine(.max(1))
    ask(&machine, .unlimited)
    let first = machine.received(1).starts[0].id
    #expect(started(machine.received(2)) == [])
    _ = machine.taskReturned(first, "one")
    let (_, effects) = next(&machine)
    #expect(started(effects) == [2])
    #expect(effects.request == .none)
  }

  @Test(arguments: [
    (BufferingPolicy.unbounded, [1, 2, 3, 4]), (.bufferingOldest(2), [1, 2]), (.bufferingNewest(2), [3, 4]),
    (.bufferingOldest(0), []), (.bufferingNewest(0), []),
  ])
  func policyDecidesWhatIsKept(policy: BufferingPolicy, kept: [Int]) {
    var machine = machine(.max(1), policy)
    ask(&machine, .unlimited)
    var id = machine.received(0).starts[0].id
    for value in 1...4 { #expect(started(machine.received(value)) == []) }
    var ran: [Int] = []
    while true {
      _ = machine.taskReturned(id, "")
      let (_, effects) = next(&machine)
      _ = next(&machine)
      guard let start = effects.starts.first else { break }
      ran.append(start.input)
      id = start.id
    }
    #expect(ran == kept)
  }

  @Test func endWaitsForWhatRunsAndForDemand() {
    var machine = machine(.unlimited)
    ask(&machine, .max(1))
    let ids = [1, 2].map { machine.received($0).starts[0].id }
    #expect(machine.upstreamCompleted(.finished).delivers)
    #expect(next(&machine).0 == "rest")
    for id in ids { _ = machine.taskReturned(id, "\(id)") }
    #expect(next(&machine).0 == "1")
    #expect(next(&machine).0 == "rest")
    #expect(machine.requested(.max(1)).delivers)
    #expect(next(&machine).0 == "2")
    #expect(next(&machine).0 == "finished")
    #expect(machine.hasEnded)
  }

  @Test func failureNeedsNoDemandAndEndsTheRest() {
    var machine = machine(.unlimited)
    ask(&machine, .max(1))
    let ids = [1, 2, 3].map { machine.received($0).starts[0].id }
    _ = machine.taskStarted(ids[1], "handle")
    let effects = machine.taskFailed(ids[0], TestError("first"))
    #expect(effects.delivers)
    #expect(effects.cancels == ["handle"])
    #expect(effects.upstream == .isCancelled)
    #expect(!machine.taskFailed(ids[1], TestError("second")).delivers)
    #expect(!machine.taskReturned(ids[1], "late").delivers)
    #expect(machine.taskStarted(ids[2], "late") == false)
    #expect(next(&machine).0 == "first")
    #expect(started(machine.received(4)) == [])
  }

  @Test func failureOfUpstreamEndsTheTasks() {
    var machine = machine(.unlimited)
    ask(&machine, .unlimited)
    let id = machine.received(1).starts[0].id
    _ = machine.taskStarted(id, "handle")
    let effects = machine.upstreamCompleted(.failure(TestError("upstream")))
    #expect(effects.cancels == ["handle"])
    #expect(effects.upstream == .isReleased)
    #expect(next(&machine).0 == "upstream")
  }

  @Test func whatIsLeftIsHandedOutToBeReleased() {
    var machine = machine(.max(2))
    ask(&machine, .max(1))
    let ids = [1, 2].map { machine.received($0).starts[0].id }
    _ = machine.received(3)
    _ = machine.taskReturned(ids[0], "one")
    let effects = machine.cancelled()
    #expect(effects.remains?.inputs.count == 1)
    #expect(effects.remains?.results.count == 1)
    #expect(effects.upstream == .isCancelled)
    #expect(next(&machine).0 == "rest")
  }

  // MARK: In upstream's order

  @Test func resultWaitsForThoseBeforeIt() {
    var machine = machine(.max(3), nil, .concurrentMap)
    ask(&machine, .unlimited)
    let ids = [1, 2, 3].map { machine.received($0).starts[0].id }
    for index in [2, 1] {
      _ = machine.taskReturned(ids[index], "\(index + 1)")
      #expect(next(&machine).0 == "rest")
    }
    // What waits takes up a slot: nothing more is started.
    #expect(started(machine.received(4)) == [])
    _ = machine.taskReturned(ids[0], "1")
    let (first, effects) = next(&machine)
    #expect(first == "1")
    #expect(started(effects) == [4])
    #expect(effects.request == .none)
    let (second, more) = next(&machine)
    #expect(second == "2")
    #expect(more.request == .max(1))
    #expect(next(&machine).0 == "3")
    #expect(next(&machine).0 == "rest")
  }

  @Test func failureTakesItsPlaceAndEndsWhatComesAfterItAtOnce() {
    var machine = machine(.unlimited, nil, .concurrentMap)
    ask(&machine, .unlimited)
    let ids = [1, 2, 3, 4].map { machine.received($0).starts[0].id }
    for id in ids { _ = machine.taskStarted(id, "\(id)") }
    _ = machine.taskReturned(ids[3], "4")
    let effects = machine.taskFailed(ids[1], TestError("second"))
    #expect(effects.cancels == ["\(ids[2])"])
    #expect(effects.upstream == .isCancelled)
    #expect(next(&machine).0 == "rest")
    #expect(started(machine.received(5)) == [])
    _ = machine.taskReturned(ids[2], "3")
    _ = machine.taskReturned(ids[0], "1")
    #expect(next(&machine).0 == "1")
    #expect(next(&machine).0 == "second")
  }

  @Test func earlierFailureReplacesALaterOne() {
    var machine = machine(.unlimited, nil, .concurrentMap)
    ask(&machine, .unlimited)
    let ids = [1, 2, 3].map { machine.received($0).starts[0].id }
    for id in ids { _ = machine.taskStarted(id, "\(id)") }
    _ = machine.taskFailed(ids[1], TestError("second"))
    #expect(!machine.taskFailed(ids[2], TestError("third")).delivers)
    _ = machine.taskFailed(ids[0], TestError("first"))
    #expect(next(&machine).0 == "first")
    #expect(next(&machine).0 == "rest")
  }

  @Test(arguments: [TaskPolicy.concurrentMap, .sink])
  func failureOfUpstreamWaitsForTheValuesBeforeIt(policy: TaskPolicy) {
    var machine = machine(.max(1), .unbounded, policy)
    ask(&machine, .unlimited)
    let first = machine.received(1).starts[0].id
    _ = machine.received(2)
    let effects = machine.upstreamCompleted(.failure(TestError("upstream")))
    #expect(effects.cancels == [])
    #expect(effects.upstream == .isReleased)
    #expect(next(&machine).0 == "rest")
    _ = machine.taskReturned(first, "1")
    let (value, more) = next(&machine)
    #expect(value == "1")
    #expect(started(more) == [2])
    #expect(next(&machine).0 == "rest")
    _ = machine.taskReturned(more.starts[0].id, "2")
    #expect(next(&machine).0 == "2")
    #expect(next(&machine).0 == "upstream")
  }

  @Test func failureOfATaskComesBeforeThatOfUpstream() {
    var machine = machine(.unlimited, nil, .concurrentMap)
    ask(&machine, .unlimited)
    let ids = [1, 2].map { machine.received($0).starts[0].id }
    _ = machine.upstreamCompleted(.failure(TestError("upstream")))
    _ = machine.taskFailed(ids[1], TestError("second"))
    _ = machine.taskReturned(ids[0], "1")
    #expect(next(&machine).0 == "1")
    #expect(next(&machine).0 == "second")
  }

  // MARK: The subscriber

  @Test func subscriberIsToldNothingBeforeItKnowsItsSubscription() {
    var machine = Machine(slots: .max(1), buffering: nil)
    _ = machine.linked()
    #expect(!machine.upstreamCompleted(.finished).delivers)
    #expect(machine.opened().delivers)
    #expect(next(&machine).0 == "finished")
  }
}
