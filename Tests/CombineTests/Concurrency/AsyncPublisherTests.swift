import Combine
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

@Suite struct AsyncPublisherTests {
  // MARK: Values

  @Test func valuesArriveInOrderAndThenTheEndAgainAndAgain() async {
    var iterator = (1...3).publisher.values.makeAsyncIterator()
    for expected in 1...3 { #expect(await iterator.next() == expected) }
    #expect(await iterator.next() == nil)
    #expect(await iterator.next() == nil)
  }

  @Test func aMillionValuesArrive() async {
    var expected = 0
    for await value in (0..<longStreamCount).publisher.values {
      guard value == expected else { break }
      expected += 1
    }
    #expect(expected == longStreamCount)
  }

  @Test func twoIteratorsAreTwoSubscriptions() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let values = publisher.values
    #expect(publisher.subscriptions.isEmpty)
    let first = values.makeAsyncIterator()
    let second = values.makeAsyncIterator()
    #expect(publisher.subscriptions.count == 2)
    withExtendedLifetime((first, second)) {}
  }

  @Test func valueWithoutDemandIsQueued() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    var iterator = publisher.values.makeAsyncIterator()
    for value in 1...3 { publisher.send(value) }
    publisher.send(completion: .finished)
    for expected in 1...3 { #expect(await iterator.next() == expected) }
    #expect(await iterator.next() == nil)
    #expect(publisher.requests.isEmpty)
  }

  @Test func subjectLosesWhatItSendsInBetween() async {
    let subject = PassthroughSubject<Int, Never>()
    var iterator = subject.values.makeAsyncIterator()
    subject.send(1)
    subject.send(completion: .finished)
    #expect(await iterator.next() == nil)
  }

  // MARK: Demand

  @Test func eachNextAsksForOne() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    publisher.onRequest = { _ in publisher.send(publisher.requests.count) }
    var iterator = publisher.values.makeAsyncIterator()
    #expect(publisher.requests.isEmpty)
    for expected in 1...5 {
      #expect(await iterator.next() == expected)
      #expect(publisher.requests == Array(repeating: .max(1), count: expected))
    }
  }

  @Test func demandWaitsForALateSubscription() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true, sendsSubscriptions: false)
    let task = Task {
      var iterator = publisher.values.makeAsyncIterator()
      return await iterator.next()
    }
    await until { publisher.subscriptions.count == 1 }
    publisher.onRequest = { _ in publisher.send(9) }
    publisher.subscription?.sendSubscription()
    #expect(await task.value == 9)
    #expect(publisher.requests == [.max(1)])
  }

  @Test func secondSubscriptionIsCancelled() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let iterator = publisher.values.makeAsyncIterator()
    publisher.subscription?.sendSubscription()
    #expect(publisher.cancellations.count == 1)
    withExtendedLifetime(iterator) {}
  }

  // MARK: Cancellation and lifetime

  @Test func breakCancelsUpstream() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    publisher.onRequest = { _ in publisher.send(1) }
    for await _ in publisher.values { break }
    #expect(publisher.cancellations.count == 1)
  }

  @Test func cancellingAWaitingTaskCancelsAtOnceAndEndsWithNil() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let task = Task { await collect(publisher.values).values }
    await until { publisher.requests.count == 1 }
    task.cancel()
    await until { publisher.cancellations.count == 1 }
    #expect(await task.value == [])
    #expect(publisher.cancellations.count == 1)
  }

  @Test func cancelledTaskEndsAtItsFollowingNextAndDropsWhatIsQueued() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let task = Task {
      var iterator = publisher.values.makeAsyncIterator()
      publisher.send(1)
      publisher.send(2)
      let first = await iterator.next()
      withUnsafeCurrentTask { $0?.cancel() }
      let before = publisher.cancellations.count
      let second = await iterator.next()
      return (first, before, second, publisher.cancellations.count)
    }
    let (first, before, second, after) = await task.value
    #expect(first == 1)
    #expect(before == 0)
    #expect(second == nil)
    #expect(after == 1)
  }

  @Test func nothingIsKeptAfterTheEnd() async {
    let counter = LifetimeCounter()
    let publisher = TestPublisher<LifetimeCounter.Token, Never>(keepsSubscribers: true)
    var iterator: AsyncPublisher<TestPublisher<LifetimeCounter.Token, Never>>.Iterator? =
      publisher.values.makeAsyncIterator()
    for _ in 0..<3 { publisher.send(counter.make()) }
    #expect(counter.count == 3)
    _ = await iterator?.next()
    #expect(counter.count == 2)
    iterator = nil
    #expect(counter.count == 0)
    #expect(publisher.cancellations.count == 1)
  }

  @Test func completedUpstreamIsNotCancelled() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    do {
      var iterator = publisher.values.makeAsyncIterator()
      publisher.send(completion: .finished)
      #expect(await iterator.next() == nil)
    }
    #expect(publisher.cancellations.isEmpty)
  }

  // MARK: Isolation

  @MainActor
  @Test func nextStaysOnTheCallersActor() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    publisher.onRequest = { _ in
      MainActor.preconditionIsolated()
      publisher.send(1)
    }
    var count = 0
    for await value in publisher.values {
      count += value
      if count == 3 { break }
    }
    #expect(count == 3)
  }

  // MARK: Races

  @Test func sendCompleteAndCancelRaceToAPrefix() async {
    for _ in 0..<1_000 {
      let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
      let task = Task { await collect(publisher.values).values }
      await until { publisher.subscriptions.count == 1 }
      async let sender: Void = {
        for value in 0..<5 { publisher.send(value) }
        publisher.send(completion: .finished)
      }()
      task.cancel()
      await sender
      let values = await task.value
      #expect(values == Array(0..<values.count))
    }
  }
}
