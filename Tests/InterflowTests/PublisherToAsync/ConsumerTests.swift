import InterflowTestSupport
import InterflowTesting
import Testing

@testable import Interflow

/// What consumers of a publisher do, and when: several at once, one that leaves, one that is cancelled; and publishers
/// that complete early, late and in between.
@Suite struct ConsumerTests {
  // MARK: Several consumers

  @Test func concurrentNextsOnOneIteratorAreServedInTheOrderInWhichTheyCame() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    // Copies of an iterator share its subscription.
    let iterator = UncheckedBox(publisher.asyncValues.makeAsyncIterator())
    var consumers: [Task<Int?, Never>] = []
    for index in 1...10 {
      consumers.append(
        Task {
          var iterator = iterator.value
          return await iterator.next()
        })
      await until { publisher.requested == .max(index) }
      await until { iterator.value.waiterCount == index }
    }
    for value in 0..<10 { publisher.send(value) }
    for (index, consumer) in consumers.enumerated() { #expect(await consumer.value == index) }
    #expect(publisher.requested == .max(10))
  }

  @Test func completionServesOneOfSeveralNextsWithTheFailureAndTheOthersWithTheEnd() async {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let iterator = UncheckedBox(publisher.asyncValues.makeAsyncIterator())
    let consumers = (0..<4).map { _ in
      Task {
        var iterator = iterator.value
        return try await iterator.next()
      }
    }
    await until { iterator.value.waiterCount == 4 }
    publisher.send(completion: .failure(TestError("once")))
    var failures = 0
    for consumer in consumers {
      do {
        #expect(try await consumer.value == nil)
      } catch {
        failures += 1
      }
    }
    #expect(failures == 1)
  }

  @Test func twoIteratorsAreTwoSubscriptions() async {
    let subject = CurrentValueSubject<Int, Never>(1)
    let values = subject.asyncValues
    var first = values.makeAsyncIterator()
    #expect(await first.next() == 1)
    subject.send(2)
    var second = values.makeAsyncIterator()
    #expect(await second.next() == 2)
    #expect(await first.next() == 2)
    subject.send(completion: .finished)
    #expect(await first.next() == nil)
    #expect(await second.next() == nil)
  }

  @Test func oneOfTwoIteratorsLeavesAndTheOtherGoesOn() async {
    let channel = AsyncChannel<Int, Never>()
    let values = channel.asyncValues
    var other = values.makeAsyncIterator()
    let producer = Task {
      for number in 1...3 { try await channel.send(number) }
      channel.send(completion: .finished)
    }
    do {
      var leaving = values.makeAsyncIterator()
      async let first = leaving.next()
      #expect(await other.next() == 1)
      #expect(await first == 1)
    }
    #expect(await other.next() == 2)
    #expect(await other.next() == 3)
    #expect(await other.next() == nil)
    _ = await producer.result
  }

  // MARK: An iterator that is dropped

  @Test func iteratorDroppedMidwayCancelsAndReleasesWhatItHolds() async {
    let counter = LifetimeCounter()
    let publisher = TestPublisher<LifetimeCounter.Token, Never>(keepsSubscribers: true)
    publisher.onRequest = { demand in for _ in 0..<demand.max! { publisher.send(counter.make()) } }
    for await _ in publisher.asyncValues(prefetch: 5) {
      #expect(counter.count >= 4)
      break
    }
    #expect(publisher.cancellations.count == 1)
    #expect(counter.count == 0)
    publisher.send(counter.make())
    #expect(counter.count == 0)
  }

  @Test func iteratorDroppedBeforeItsFirstNextCancels() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    do { _ = publisher.asyncValues.makeAsyncIterator() }
    #expect(publisher.subscriptions.count == 1)
    #expect(publisher.cancellations.count == 1)
    #expect(publisher.requests.isEmpty)
  }

  // MARK: A task that is cancelled

  @Test func taskCancelledWhileItWaitsCancelsAtOnce() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let iterator = UncheckedBox(publisher.asyncValues.makeAsyncIterator())
    let task = Task {
      var iterator = iterator.value
      return await iterator.next()
    }
    await until { iterator.value.waiterCount == 1 }
    task.cancel()
    // Not only when the task has got round to it.
    #expect(publisher.cancellations.count == 1)
    #expect(await task.value == nil)
  }

  @Test func taskCancelledWhileAValueIsReadyCancelsWithItsNextCall() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    publisher.onRequest = { _ in for value in 0..<3 { publisher.send(value) } }
    let (isIn, goesOn) = (Signal(), Signal())
    let task = Task {
      var values: [Int] = []
      for await value in publisher.asyncValues(prefetch: 3) {
        values.append(value)
        isIn.fire()
        await goesOn.wait()
      }
      return values
    }
    await isIn.wait()
    task.cancel()
    #expect(publisher.cancellations.isEmpty)
    goesOn.fire()
    #expect(await task.value == [0])
    #expect(publisher.cancellations.count == 1)
  }

  // MARK: When a publisher completes

  @Test(arguments: [true, false]) func completionDuringTheSubscription(fails: Bool) async {
    let publisher = CompletingPublisher(fails ? .failure(TestError("at once")) : .finished)
    let expected = fails ? TestError("at once") : nil
    #expect(await collect(publisher.asyncValues).error == expected)
    #expect(await collect(publisher.asyncValues(prefetch: 4)).error == expected)
    #expect(await collect(publisher.asyncStream()).error == expected)
    do {
      #expect(try await publisher.firstValue() == nil)
      #expect(!fails)
    } catch {
      #expect(error == expected)
    }
  }

  @Test func completionBeforeTheSubscription() async {
    let subject = PassthroughSubject<Int, TestError>()
    subject.send(completion: .failure(TestError("before")))
    #expect(await collect(subject.asyncValues).error == TestError("before"))
    #expect(await collect(subject.asyncStream()).error == TestError("before"))
    await #expect(throws: TestError("before")) { try await subject.firstValue() }
  }

  @Test func completionAfterTheSubscriptionAndBeforeTheFirstNext() async throws {
    let subject = PassthroughSubject<Int, TestError>()
    var iterator = subject.asyncValues.makeAsyncIterator()
    subject.send(completion: .finished)
    for _ in 0..<2 { #expect(try await iterator.next() == nil) }
  }

  @Test func failureComesAfterTheValuesThatAreBuffered() async {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    publisher.onRequest = { _ in
      for value in 0..<3 { publisher.send(value) }
      publisher.send(completion: .failure(TestError("last")))
    }
    for (values, error) in [
      await collect(publisher.asyncValues(prefetch: 3)), await collect(publisher.asyncStream()),
    ] {
      #expect(values == [0, 1, 2])
      #expect(error == TestError("last"))
    }
  }

  @Test func nextAfterTheEndIsNilAgain() async throws {
    let subject = PassthroughSubject<Int, TestError>()
    let stream = subject.asyncStream()
    var (first, second) = (stream.makeAsyncIterator(), stream.makeAsyncIterator())
    var values = subject.asyncValues.makeAsyncIterator()
    subject.send(completion: .finished)
    for _ in 0..<3 {
      #expect(try await first.next() == nil)
      #expect(try await second.next() == nil)
      #expect(try await values.next() == nil)
    }
    stream.cancel()
    #expect(try await first.next() == nil)
  }

  @Test func failureIsThrownToOneOfTwoIteratorsOfAStream() async {
    let subject = PassthroughSubject<Int, TestError>()
    let stream = subject.asyncStream()
    subject.send(completion: .failure(TestError("once")))
    #expect(await collect(stream).error == TestError("once"))
    #expect(await collect(stream).error == nil)
  }
}

/// A publisher that completes while it is subscribed to.
private struct CompletingPublisher: Publisher {
  typealias Output = Int
  typealias Failure = TestError

  let completion: Subscribers.Completion<TestError>

  init(_ completion: Subscribers.Completion<TestError>) { self.completion = completion }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
    subscriber.receive(subscription: Subscriptions.empty)
    subscriber.receive(completion: completion)
  }
}
