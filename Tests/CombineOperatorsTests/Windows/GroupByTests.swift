import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct GroupByTests {
  private let source = TestPublisher<Int, TestError>(keepsSubscribers: true)

  @Test func eachKeyHasAGroup() {
    var log: [String] = []
    let recorder = source.groupBy { $0 % 3 }
      .flatMap { group in group.map { "\(group.key): \($0)" } }.recorded()
    for value in [1, 2, 4, 5, 3] { source.send(value) }
    log = recorder.values
    #expect(log == ["1: 1", "2: 2", "1: 4", "2: 5", "0: 3"])
    source.send(completion: .finished)
    #expect(recorder.isFinished)
  }

  @Test func valuesWaitForTheFirstSubscriberOfAGroup() {
    let groups = source.groupBy { $0 % 2 }.recorded()
    for value in 1...4 { source.send(value) }
    #expect(groups.values.map(\.key) == [1, 0])
    let first = groups.values[0].recorded(demand: .max(1))
    let second = groups.values[0].recorded()
    source.send(5)
    source.send(completion: .finished)
    first.request(.unlimited)
    #expect(first.log == ["1", "3", "5", "finished"])
    #expect(second.log == ["5", "finished"])
  }

  @Test func groupsThatWereNotRequestedAreBuffered() {
    let groups = source.groupBy { $0 }.recorded(demand: .max(1))
    for value in [1, 2, 1] { source.send(value) }
    #expect(groups.values.map(\.key) == [1])
    groups.request(.max(1))
    #expect(groups.values.map(\.key) == [1, 2])
    #expect(groups.values[1].recorded().values == [2])
  }

  @Test func failureEndsTheGroupsToo() {
    let groups = source.groupBy { $0 }.recorded()
    source.send(1)
    let group = groups.values[0].recorded()
    source.send(completion: .failure(TestError("no")))
    #expect(group.log == ["1", "no"])
    #expect(groups.error == TestError("no"))
  }

  @Test func upstreamIsCancelledWithTheLastSubscriber() {
    let groups = source.groupBy { $0 }.recorded()
    source.send(1)
    let group = groups.values[0].recorded()
    groups.cancel()
    #expect(source.cancellations.isEmpty)
    source.send(1)
    source.send(2)
    #expect(group.values == [1, 1])
    #expect(groups.values.count == 1)
    group.cancel()
    #expect(source.cancellations.count == 1)
  }

  @Test func groupThatNobodyUsesFinishesAfterCancellation() {
    let groups = source.groupBy { $0 }.recorded()
    source.send(1)
    groups.cancel()
    #expect(source.cancellations.count == 1)
    #expect(groups.values[0].recorded().log == ["1", "finished"])
  }

  @Test func valueInsideTheDeliveryOfAGroupBelongsToIt() {
    let recorder = RecordingSubscriber<GroupedPublisher<Int, Int, TestError>, TestError>()
    let values = RecordingSubscriber<Int, TestError>()
    recorder.onValue = { [source] in
      $0.subscribe(values)
      if values.values.isEmpty { source.send(3) }
    }
    source.groupBy { $0 % 2 }.subscribe(recorder)
    source.send(1)
    source.send(5)
    #expect(recorder.values.map(\.key) == [1])
    #expect(values.values == [3, 1, 5])
  }

  @Test func groupsFinishInTheirOrder() {
    var finished: [Int] = []
    let recorder = RecordingSubscriber<GroupedPublisher<Int, Int, TestError>, TestError>()
    var subscriptions: Set<AnyCancellable> = []
    recorder.onValue = { group in
      group.sink { _ in
        finished.append(group.key)
      } receiveValue: { _ in
      }.store(in: &subscriptions)
    }
    source.groupBy { $0 }.subscribe(recorder)
    for value in 0..<20 { source.send(value) }
    source.send(completion: .finished)
    #expect(finished == Array(0..<20))
  }

  @Test(arguments: [false, true])
  func closureIsReleasedAfterTheEnd(isCancelled: Bool) {
    let counter = LifetimeCounter()
    let groups = RecordingSubscriber<GroupedPublisher<Int, Int, TestError>, TestError>()
    do {
      let token = counter.make()
      source.groupBy { value in withExtendedLifetime(token) { value } }.receive(subscriber: groups)
    }
    source.send(1)
    #expect(counter.count == 1)
    if isCancelled { groups.cancel() } else { source.send(completion: .finished) }
    #expect(counter.count == 0)
    #expect(groups.values[0].recorded().values == [1])
  }

  @Test func closureIsReleasedWhenItsOwnValueIsTheEnd() {
    let counter = LifetimeCounter()
    let groups = RecordingSubscriber<GroupedPublisher<Int, Int, TestError>, TestError>()
    groups.onValue = { [unowned groups] _ in groups.cancel() }
    do {
      let token = counter.make()
      source.groupBy { value in withExtendedLifetime(token) { value } }.receive(subscriber: groups)
    }
    source.send(1)
    #expect(source.cancellations.count == 1)
    #expect(counter.count == 0)
  }

  @Test func closureIsReleasedByAThreadThatServesARequest() {
    let (counter, busy) = (LifetimeCounter(), BusyThread())
    let groups = RecordingSubscriber<GroupedPublisher<Int, Int, TestError>, TestError>(initialDemand: .none)
    groups.onValue = { _ in busy.stay() }
    do {
      let token = counter.make()
      source.groupBy { value in withExtendedLifetime(token) { value } }.receive(subscriber: groups)
    }
    source.send(1)
    let subscription = UncheckedBox(groups.subscription)  // It may be used from any thread.
    busy.start { subscription.value?.request(.max(1)) }
    groups.cancel()
    #expect(source.cancellations.count == 1)
    busy.release()
    #expect(counter.count == 0)
  }

  @Test func cancellationDoesNotWaitForADelivery() {
    let busy = BusyThread()
    let (groups, values) = (
      RecordingSubscriber<GroupedPublisher<Int, Int, TestError>, TestError>(), RecordingSubscriber<Int, TestError>()
    )
    groups.onValue = { if $0.key == 1 { $0.subscribe(values) } }
    values.onValue = { _ in busy.stay() }
    source.groupBy { $0 }.receive(subscriber: groups)
    source.send(2)
    busy.start { [source] in source.send(1) }
    groups.cancel()
    onOtherThread { values.cancel() }
    #expect(source.cancellations.count == 1)
    busy.release()
    #expect(groups.values.map { $0.recorded().log } == [["2", "finished"], ["finished"]])
  }

  @Test func followsTheRulesOfOperators() {
    expectOperatorRules("GroupBy", isGuarded: false) { upstream, token in
      upstream.groupBy { value -> Int in
        token.touch()
        return value
      }
      .map(\.key)
    }
  }
}
