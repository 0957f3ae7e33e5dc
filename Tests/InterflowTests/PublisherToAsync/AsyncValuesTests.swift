import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncValuesTests {
  // MARK: Values

  @Test func neverNeedsNoTry() async {
    var values: [Int] = []
    for await value in [1, 2, 3].publisher.asyncValues { values.append(value) }
    #expect(values == [1, 2, 3])
  }

  @Test func failureKeepsItsType() async {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    var iterator = publisher.asyncValues.makeAsyncIterator()
    publisher.send(1)
    publisher.send(completion: .failure(TestError("typed")))
    do throws(TestError) {
      #expect(try await iterator.next() == 1)
      _ = try await iterator.next()
      Issue.record("the failure is lost")
    } catch {
      #expect(error.name == "typed")
    }
    #expect(await (try? iterator.next()) == .some(nil))
  }

  @Test(arguments: [1, 2, 3, 64, 1_000])
  func aHundredThousandValuesArriveInOrder(prefetch: Int) async {
    var expected = 0
    for await value in (0..<longStreamCount / 10).publisher.asyncValues(prefetch: prefetch) {
      guard value == expected else { break }
      expected += 1
    }
    #expect(expected == longStreamCount / 10)
  }

  @Test func threeValuesAreNeverLostNorHang() async {
    for _ in 0..<2_000 { #expect(await collect([1, 2, 3].publisher.asyncValues).values == [1, 2, 3]) }
  }

  @Test func nextAfterTheEndIsNilAgain() async {
    var iterator = Empty<Int, Never>().asyncValues.makeAsyncIterator()
    for _ in 0..<3 { #expect(await iterator.next() == nil) }
  }

  @Test func valueWithoutDemandIsQueued() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    var iterator = publisher.asyncValues(prefetch: 2).makeAsyncIterator()
    for value in 0..<5 { publisher.send(value) }
    publisher.send(completion: .finished)
    for expected in 0..<5 { #expect(await iterator.next() == expected) }
    #expect(await iterator.next() == nil)
  }

  // MARK: Demand

  @Test func nothingIsAskedForBeforeNext() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let iterator = publisher.asyncValues(prefetch: 4).makeAsyncIterator()
    #expect(publisher.subscriptions.count == 1)
    #expect(publisher.requests.isEmpty)
    withExtendedLifetime(iterator) {}
  }

  @Test func prefetchAsksForSoManyAtATime() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    var sent = 0
    publisher.onRequest = { demand in
      for _ in 0..<demand.max! {
        publisher.send(sent)
        sent += 1
      }
    }
    var iterator = publisher.asyncValues(prefetch: 3).makeAsyncIterator()
    for expected in 0..<7 { #expect(await iterator.next() == expected) }
    #expect(publisher.requests == [.max(3), .max(3), .max(3)])
  }

  @Test func aWaitingConsumerAsksOnce() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let task = Task { await collect(publisher.asyncValues(prefetch: 2)).values }
    await until { publisher.requests.count == 1 }
    publisher.send(1)
    publisher.send(2)
    await until { publisher.requests.count == 2 }
    publisher.send(completion: .finished)
    #expect(await task.value == [1, 2])
    #expect(publisher.requests == [.max(2), .max(2)])
  }

  // MARK: Cancellation and lifetime

  @Test func breakCancelsUpstream() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    publisher.onRequest = { _ in publisher.send(1) }
    for await _ in publisher.asyncValues { break }
    #expect(publisher.cancellations.count == 1)
  }

  @Test func cancellingAWaitingTaskCancelsUpstreamAndEndsWithNil() async throws {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let task = Task { await collect(publisher.asyncValues) }
    await until { publisher.requests.count == 1 }
    task.cancel()
    let (values, error) = await task.value
    #expect(values == [])
    #expect(error == nil)
    #expect(publisher.cancellations.count == 1)
  }

  @Test func whatIsHeldIsReleasedByCancellation() async {
    let counter = LifetimeCounter()
    let publisher = TestPublisher<LifetimeCounter.Token, Never>(keepsSubscribers: true)
    publisher.onRequest = { _ in for _ in 0..<3 { publisher.send(counter.make()) } }
    let task = Task {
      var iterator = publisher.asyncValues(prefetch: 3).makeAsyncIterator()
      _ = await iterator.next()
      withUnsafeCurrentTask { $0?.cancel() }
      let end = await iterator.next()
      return (end == nil, counter.count)
    }
    let (isEnd, alive) = await task.value
    #expect(isEnd)
    #expect(alive == 0)
  }

  // MARK: Races

  @Test func producerOnAnotherThreadLosesNothing() async {
    for _ in 0..<200 {
      let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
      let task = Task { await collect(publisher.asyncValues(prefetch: 8)).values }
      await until { publisher.subscriptions.count == 1 }
      for value in 0..<50 { publisher.send(value) }
      publisher.send(completion: .finished)
      #expect(await task.value == Array(0..<50))
    }
  }

  @MainActor
  @Test func nextStaysOnTheCallersActor() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    publisher.onRequest = { _ in
      MainActor.preconditionIsolated()
      publisher.send(1)
    }
    var iterator = publisher.asyncValues.makeAsyncIterator()
    for _ in 0..<3 { #expect(await iterator.next(isolation: #isolation) == 1) }
  }

  @MainActor
  @Test func nextWithoutAnArgumentStaysOnTheCallersActorToo() async throws {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    publisher.onRequest = { _ in
      MainActor.preconditionIsolated()
      publisher.send(1)
    }
    var iterator = publisher.asyncValues.makeAsyncIterator()
    for _ in 0..<3 { #expect(await iterator.next() == 1) }
    var values = publisher.values.makeAsyncIterator()
    for _ in 0..<3 { #expect(await values.next() == 1) }
    var throwing = publisher.setFailureType(to: TestError.self).values.makeAsyncIterator()
    for _ in 0..<3 { #expect(try await throwing.next() == 1) }
  }

  @Test func noMoreValuesAreAliveThanArePrefetched() async {
    let counter = LifetimeCounter()
    // Erased, or the operator would be applied to the whole range at once.
    let tokens = (0..<2_000).publisher.eraseToAnyPublisher().map { _ in counter.make() }
    var most = 0
    for await token in tokens.asyncValues(prefetch: 4) {
      most = max(most, counter.count)
      token.touch()
    }
    #expect(most <= 5)
  }
}
