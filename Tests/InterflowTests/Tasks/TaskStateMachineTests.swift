import Combine
import InterflowTestSupport
import Testing

@testable import Interflow

@Suite struct TaskStateMachineTests {
  private typealias Machine = TaskStateMachine<Int, String, TestError>

  private func machine(
    _ slots: Subscribers.Demand, _ buffering: BufferingPolicy? = nil, _ policy: TaskPolicy = .task, demand: Int = .max
  ) -> Machine {
    var machine = Machine(slots: slots, buffering: buffering, policy: policy)
    _ = machine.linked()
    _ = machine.opened()
    if demand > 0 { _ = machine.requested(demand, executor: nil) }
    return machine
  }

  /// - Returns: The value that is dropped for this one.
  @discardableResult
  private func receive(_ machine: inout Machine, _ input: Int) -> Int? {
    var dropped: Int?
    machine.received(input, executor: nil, dropped: &dropped)
    return dropped
  }

  /// What workers take until nothing is ready.
  private func takeAll(_ machine: inout Machine) -> [Int] {
    var taken: [Int] = []
    while let input = machine.take(on: nil) { taken.append(input) }
    return taken
  }

  private func run(_ machine: inout Machine, _ inputs: ClosedRange<Int>) {
    for input in inputs { receive(&machine, input) }
    #expect(takeAll(&machine) == Array(inputs))
  }

  private func complete(
    _ machine: inout Machine, _ number: Int, with text: String? = nil
  ) {
    var output: String? = text ?? "\(number)"
    machine.returned(number, &output)
  }

  private func fail(_ machine: inout Machine, _ number: Int, _ name: String) -> (number: Int?, Machine.Discarded) {
    var discarded = Machine.Discarded()
    let cancelsAfter = machine.failed(number, TestError(name), &discarded)
    if cancelsAfter != nil { machine.didCancel() }
    return (cancelsAfter, discarded)
  }

  private func finish(_ machine: inout Machine, _ completion: Subscribers.Completion<TestError> = .finished) -> Bool {
    var discarded = Machine.Discarded()
    let cancels = machine.upstreamCompleted(completion, &discarded)
    if cancels { machine.didCancel() }
    return cancels
  }

  /// The next signal downstream, and what that requests from upstream.
  private func next(_ machine: inout Machine) -> (String, unrequested: Int) {
    if let output = machine.beginDelivery() {
      machine.endDelivery(adding: 0)
      defer { machine.unrequested = 0 }
      return (output, machine.unrequested)
    }
    guard machine.isEndDue else { return ("rest", 0) }
    switch machine.takeEnd() {
    case .finished: return ("finished", 0)
    case .failure(let error): return (error.name, 0)
    case nil: return ("nothing", 0)
    }
  }

  // MARK: Upstream

  @Test func theFirstRequestRequestsAValueForEachSlotFromUpstream() {
    var machine = Machine(slots: .max(3), buffering: nil)
    #expect(machine.linked() == .none)
    #expect(machine.opened() == .none)
    #expect(machine.requested(1, executor: nil) == .max(3))
    #expect(machine.requested(1, executor: nil) == .none)
  }

  @Test func valuesAreRequestedFromALateUpstreamAtOnce() {
    var machine = Machine(slots: .max(3), buffering: nil)
    #expect(machine.requested(1, executor: nil) == .none)
    #expect(machine.linked() == .max(3))
  }

  @Test func withAPolicyUnlimitedDemandIsRequestedAndNothingRunsYet() {
    var machine = Machine(slots: .max(1), buffering: .unbounded)
    #expect(machine.linked() == .none)
    #expect(machine.opened() == .unlimited)
    receive(&machine, 1)
    receive(&machine, 2)
    #expect(!machine.needsWorker)
    #expect(machine.requested(.max, executor: nil) == .none)
    #expect(takeAll(&machine) == [1])
  }

  @Test func withAPolicyTheFirstRequestRequestsUnlimitedDemandOnce() {
    var machine = Machine(slots: .max(1), buffering: .bufferingOldest(0))
    #expect(machine.linked() == .none)
    #expect(machine.requested(1, executor: nil) == .unlimited)
    receive(&machine, 1)
    #expect(takeAll(&machine) == [1])
    #expect(machine.opened() == .none)
    #expect(machine.requested(1, executor: nil) == .none)
  }

  @Test func valuesWithoutDemandAreBufferedAndRunBeforeMoreAreRequested() {
    var machine = machine(.max(1))
    run(&machine, 1...1)
    receive(&machine, 2)
    #expect(takeAll(&machine) == [])
    complete(&machine, 1)
    #expect(next(&machine) == ("1", unrequested: 0))
    #expect(takeAll(&machine) == [2])
  }

  @Test(arguments: [
    (BufferingPolicy.unbounded, [1, 2, 3, 4], []), (.bufferingOldest(2), [1, 2], []),
    (.bufferingNewest(2), [3, 4], [1, 2]), (.bufferingOldest(0), [], []), (.bufferingNewest(0), [], []),
  ])
  func policyDecidesWhatIsKept(policy: BufferingPolicy, kept: [Int], released: [Int]) {
    var machine = machine(.max(1), policy)
    run(&machine, 0...0)
    #expect((1...4).compactMap { receive(&machine, $0) } == released)
    var ran: [Int] = []
    for number in 1...5 {
      complete(&machine, number)
      _ = next(&machine)
      guard let input = machine.take(on: nil) else { break }
      ran.append(input)
    }
    #expect(ran == kept)
  }

  // MARK: Workers

  @Test func aWorkerIsNeededUntilThereIsASeeker() {
    var machine = machine(.max(3))
    #expect(!machine.needsWorker)
    receive(&machine, 1)
    #expect(machine.needsWorker)
    machine.workers.seekers = 1
    receive(&machine, 2)
    #expect(!machine.needsWorker)
    machine.workers.seekers = 0
    _ = machine.take(on: nil)
    // The worker took one of the two values.
    #expect(machine.needsWorker)
    _ = machine.take(on: nil)
    #expect(!machine.needsWorker)
  }

  @Test func eachWorkerInAPromptCallSavesAWorkerForOneValue() {
    var machine = machine(.max(3))
    machine.workers.inPromptCall = 1
    receive(&machine, 1)
    #expect(!machine.needsWorker)
    receive(&machine, 2)
    #expect(machine.needsWorker)
  }

  @Test func nestedRequestsSaveNoWorker() {
    var machine = machine(.max(3))
    machine.unrequested = 1
    #expect(machine.beginRequest(byWorker: true) == 1)
    receive(&machine, 1)
    #expect(!machine.needsWorker)
    // The first request may go on for as long as the second one's value takes.
    machine.unrequested = 1
    #expect(machine.beginRequest(byWorker: true) == 1)
    #expect(machine.needsWorker)
    machine.workers.endRequest()
    #expect(machine.needsWorker)
    machine.workers.endRequest()
    machine.unrequested = 1
    _ = machine.beginRequest(byWorker: true)
    #expect(!machine.needsWorker)
    #expect(machine.unrequested == 0)
  }

  @Test func requestOutsideAWorkerSavesNoWorker() {
    var machine = machine(.max(3))
    machine.unrequested = 1
    _ = machine.beginRequest(byWorker: false)
    receive(&machine, 1)
    #expect(machine.needsWorker)
  }

  @Test func failureIsNotDueBeforeEverythingIsCancelled() {
    var machine = machine(.max(3))
    run(&machine, 1...2)
    var discarded = Machine.Discarded()
    #expect(machine.failed(1, TestError("first"), &discarded) == 0)
    #expect(!machine.isEndDue)
    machine.didCancel()
    #expect(machine.isEndDue)
  }

  @Test func valueIsTakenOnlyOnItsExecutor() {
    let executor = StepExecutor()
    var machine = machine(.max(2))
    var dropped: Int?
    machine.received(1, executor: executor, dropped: &dropped)
    #expect(machine.take(on: nil) == nil)
    #expect(machine.take(on: StepExecutor()) == nil)
    #expect(machine.take(on: executor) == 1)
  }

  @Test func moreAreNotReadyThanThereAreSlots() {
    var machine = machine(.max(2))
    for input in 1...3 { receive(&machine, input) }
    #expect(takeAll(&machine) == [1, 2])
    complete(&machine, 2)
    #expect(takeAll(&machine) == [])
    _ = next(&machine)
    #expect(takeAll(&machine) == [3])
  }

  // MARK: Delivery

  @Test func deliveredResultMakesRoomForOneMore() {
    var machine = machine(.max(2), demand: 1)
    run(&machine, 1...2)
    complete(&machine, 2, with: "two")
    complete(&machine, 1, with: "one")
    #expect(next(&machine) == ("two", unrequested: 1))
    #expect(next(&machine) == ("rest", unrequested: 0))
  }

  @Test func onlyOneDeliversAtATime() {
    var machine = machine(.max(2))
    run(&machine, 1...2)
    complete(&machine, 1)
    complete(&machine, 2)
    #expect(machine.beginDelivery() == "1")
    #expect(machine.beginDelivery() == nil)
    machine.endDelivery(adding: 0)
    #expect(machine.beginDelivery() == "2")
  }

  @Test func demandThatASubscriberReturnsAddsUp() {
    var machine = machine(.unlimited, demand: 1)
    run(&machine, 1...3)
    for number in 1...3 { complete(&machine, number) }
    #expect(machine.beginDelivery() == "1")
    machine.endDelivery(adding: 1)
    #expect(machine.beginDelivery() == "2")
    machine.endDelivery(adding: .max)
    #expect(machine.demand.isUnlimited)
    machine.add(1)
    #expect(machine.demand.isUnlimited)
  }

  @Test func endWaitsForWhatRunsAndForDemand() {
    var machine = machine(.unlimited, demand: 1)
    run(&machine, 1...2)
    #expect(!finish(&machine))
    #expect(next(&machine).0 == "rest")
    for number in 1...2 { complete(&machine, number) }
    #expect(next(&machine).0 == "1")
    #expect(next(&machine).0 == "rest")
    _ = machine.requested(1, executor: nil)
    #expect(next(&machine).0 == "2")
    #expect(next(&machine).0 == "finished")
    #expect(machine.hasEnded)
  }

  @Test func ignoredResultsMakeRoomWithoutADelivery() {
    var machine = machine(.max(1), nil, .sink)
    run(&machine, 1...1)
    #expect(!finish(&machine))
    #expect(next(&machine).0 == "rest")
    complete(&machine, 1)
    #expect(next(&machine).0 == "finished")
  }

  // MARK: Failures

  @Test func failureNeedsNoDemandAndEndsTheRest() {
    var machine = machine(.unlimited, demand: 1)
    run(&machine, 1...3)
    #expect(fail(&machine, 1, "first").number == 0)
    #expect(fail(&machine, 2, "second").number == nil)
    complete(&machine, 3, with: "late")
    #expect(next(&machine).0 == "first")
    receive(&machine, 4)
    #expect(takeAll(&machine) == [])
  }

  @Test func failureOfUpstreamEndsTheTasks() {
    var machine = machine(.unlimited)
    run(&machine, 1...1)
    #expect(finish(&machine, .failure(TestError("upstream"))))
    #expect(next(&machine).0 == "upstream")
  }

  @Test func discardedStateIsReturnedToBeReleased() {
    var machine = machine(.max(3), demand: 1)
    run(&machine, 1...2)
    for input in 3...4 { receive(&machine, input) }
    complete(&machine, 1)
    var discarded = Machine.Discarded()
    machine.cancelled(&discarded)
    #expect(discarded.ready.count == 1)
    #expect(discarded.surplus.count == 1)
    #expect(discarded.results.count == 1)
    #expect(next(&machine).0 == "rest")
    complete(&machine, 2)
    #expect(!machine.hasWork)
  }

  // MARK: In upstream's order

  @Test func resultWaitsForThoseBeforeIt() {
    var machine = machine(.max(3), nil, .concurrentMap)
    run(&machine, 1...3)
    for number in [3, 2] {
      complete(&machine, number)
      #expect(next(&machine).0 == "rest")
    }
    // What waits takes up a slot: nothing more is started.
    receive(&machine, 4)
    #expect(takeAll(&machine) == [])
    complete(&machine, 1)
    #expect(next(&machine) == ("1", unrequested: 0))
    #expect(takeAll(&machine) == [4])
    #expect(next(&machine) == ("2", unrequested: 1))
    #expect(next(&machine).0 == "3")
    #expect(next(&machine).0 == "rest")
  }

  @Test func failureTakesItsPlaceAndEndsWhatComesAfterItAtOnce() {
    var machine = machine(.unlimited, nil, .concurrentMap)
    run(&machine, 1...4)
    complete(&machine, 4)
    let (number, discarded) = fail(&machine, 2, "second")
    #expect(number == 2)
    #expect(discarded.results.count == 1)
    #expect(next(&machine).0 == "rest")
    receive(&machine, 5)
    #expect(takeAll(&machine) == [])
    complete(&machine, 3)
    complete(&machine, 1)
    #expect(next(&machine).0 == "1")
    #expect(next(&machine).0 == "second")
  }

  @Test func earlierFailureReplacesALaterOne() {
    var machine = machine(.unlimited, nil, .concurrentMap)
    run(&machine, 1...3)
    _ = fail(&machine, 2, "second")
    #expect(fail(&machine, 3, "third").number == nil)
    #expect(fail(&machine, 1, "first").number == 1)
    #expect(next(&machine).0 == "first")
    #expect(next(&machine).0 == "rest")
  }

  @Test(arguments: [TaskPolicy.concurrentMap, .sink])
  func failureOfUpstreamWaitsForTheValuesBeforeIt(policy: TaskPolicy) {
    var machine = machine(.max(1), .unbounded, policy)
    run(&machine, 1...1)
    receive(&machine, 2)
    #expect(!finish(&machine, .failure(TestError("upstream"))))
    for number in 1...2 {
      #expect(next(&machine).0 == "rest")
      complete(&machine, number)
      if policy == .concurrentMap { #expect(next(&machine).0 == "\(number)") }
      if number == 1 { #expect(takeAll(&machine) == [2]) }
    }
    #expect(next(&machine).0 == "upstream")
  }

  @Test func failureOfATaskComesBeforeThatOfUpstream() {
    var machine = machine(.unlimited, nil, .concurrentMap)
    run(&machine, 1...2)
    #expect(!finish(&machine, .failure(TestError("upstream"))))
    #expect(fail(&machine, 2, "second").number == 2)
    complete(&machine, 1)
    #expect(next(&machine).0 == "1")
    #expect(next(&machine).0 == "second")
  }

  // MARK: The subscriber

  @Test func subscriberIsToldNothingBeforeItKnowsItsSubscription() {
    var machine = Machine(slots: .max(1), buffering: nil)
    _ = machine.linked()
    #expect(!finish(&machine))
    #expect(!machine.isEndDue)
    _ = machine.opened()
    #expect(next(&machine).0 == "finished")
  }
}
