import InterflowTestSupport
import InterflowTesting
import Testing

@testable import Interflow

@Suite struct CombineAsyncStreamTests {
  // MARK: Values

  @Test func nothingSentAfterTheCallIsLost() async {
    let subject = PassthroughSubject<Int, Never>()
    subject.send(0)
    let stream = subject.asyncStream()
    for value in 1...5 { subject.send(value) }
    subject.send(completion: .finished)
    var values: [Int] = []
    for await value in stream { values.append(value) }
    #expect(values == [1, 2, 3, 4, 5])
  }

  @Test func demandIsUnlimitedFromTheBeginning() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let stream = publisher.asyncStream()
    #expect(publisher.requests == [.unlimited])
    withExtendedLifetime(stream) {}
  }

  @Test func failureComesAfterTheValuesAndKeepsItsType() async {
    let subject = PassthroughSubject<Int, TestError>()
    let stream = subject.asyncStream()
    subject.send(1)
    subject.send(completion: .failure(TestError("typed")))
    let (values, error) = await collect(stream)
    #expect(values == [1])
    #expect(error == TestError("typed"))
    let again = await collect(stream)
    #expect(again.values == [] && again.error == nil)
  }

  @Test func iteratorsTakeFromOneBuffer() async {
    let subject = PassthroughSubject<Int, Never>()
    let stream = subject.asyncStream()
    for value in 1...4 { subject.send(value) }
    subject.send(completion: .finished)
    for await value in stream {
      #expect(value == 1)
      break
    }
    var first = stream.makeAsyncIterator()
    var second = stream.makeAsyncIterator()
    #expect(await first.next() == 2)
    #expect(await second.next() == 3)
    #expect(await first.next() == 4)
    #expect(await second.next() == nil)
  }

  // MARK: Policies

  @Test(arguments: [
    (BufferingPolicy.unbounded, [1, 2, 3, 4, 5]), (.bufferingOldest(2), [1, 2]), (.bufferingNewest(2), [4, 5]),
    (.bufferingOldest(0), []), (.bufferingNewest(0), []), (.bufferingNewest(9), [1, 2, 3, 4, 5]),
  ])
  func policyDecidesWhatIsKept(policy: BufferingPolicy, kept: [Int]) async {
    let subject = PassthroughSubject<Int, Never>()
    let stream = subject.asyncStream(bufferingPolicy: policy)
    for value in 1...5 { subject.send(value) }
    subject.send(completion: .finished)
    #expect(stream.droppedCount == 5 - kept.count)
    #expect(await collect(stream).values == kept)
  }

  @Test func waitingConsumerGetsAValueEvenWithoutABuffer() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let stream = publisher.asyncStream(bufferingPolicy: .bufferingNewest(0))
    let task = Task { await collect(stream).values }
    var sent = 0
    // Each value is dropped unless the consumer waits, which is the one thing that nothing signals.
    while stream.droppedCount == sent {
      publisher.send(sent)
      sent += 1
      await Task.yield()
    }
    publisher.send(completion: .finished)
    #expect(await task.value == [sent - 1])
  }

  // MARK: Cancellation and lifetime

  @Test func cancelEndsTheLoopAndDropsTheBuffer() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let stream = publisher.asyncStream()
    for value in 0..<3 { publisher.send(value) }
    let (hasOne, goesOn) = (Signal(), Signal())
    let task = Task {
      var values: [Int] = []
      for await value in stream {
        values.append(value)
        hasOne.fire()
        await goesOn.wait()
      }
      return values
    }
    // Two are buffered still.
    await hasOne.wait()
    stream.cancel()
    #expect(publisher.cancellations.count == 1)
    goesOn.fire()
    #expect(await task.value == [0])
    publisher.send(3)
    #expect(await collect(stream).values == [])
    stream.cancel()
    #expect(publisher.cancellations.count == 1)
  }

  @Test func cancelEndsALoopThatWaits() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let stream = publisher.asyncStream()
    let task = Task { await collect(stream).values }
    await until { stream.waiterCount == 1 }
    stream.cancel()
    #expect(await task.value == [])
    #expect(publisher.cancellations.count == 1)
  }

  @Test func breakDoesNotCancel() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let stream = publisher.asyncStream()
    publisher.send(1)
    for await _ in stream { break }
    #expect(publisher.cancellations.isEmpty)
    withExtendedLifetime(stream) {}
    stream.cancel()
  }

  @Test func cancellingTheConsumersTaskCancelsUpstream() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let stream = publisher.asyncStream()
    publisher.send(1)
    let task = Task { await collect(stream).values }
    await until { stream.waiterCount == 1 }
    task.cancel()
    #expect(publisher.cancellations.count == 1)
    #expect(await task.value == [1])
  }

  @Test func lastReferenceCancels() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    var iterator: CombineAsyncStream<TestPublisher<Int, Never>>.Iterator? =
      publisher.asyncStream().makeAsyncIterator()
    publisher.send(1)
    #expect(await iterator?.next() == 1)
    #expect(publisher.cancellations.isEmpty)
    iterator = nil
    #expect(publisher.cancellations.count == 1)
  }

  @Test func everythingIsReleasedByCancellation() {
    let counter = LifetimeCounter()
    let publisher = TestPublisher<LifetimeCounter.Token, Never>(keepsSubscribers: true)
    let stream = publisher.asyncStream()
    for _ in 0..<3 { publisher.send(counter.make()) }
    #expect(counter.count == 3)
    stream.cancel()
    #expect(counter.count == 0)
  }

  // MARK: Threads

  @Test func valuesKeepTheirOrderUnderConcurrentSenders() async {
    for _ in 0..<50 {
      let subject = PassthroughSubject<(sender: Int, number: Int), Never>()
      let stream = subject.asyncStream()
      let senders = Task {
        await withTaskGroup(of: Void.self) { group in
          for sender in 0..<4 {
            group.addTask { for number in 0..<100 { subject.send((sender, number)) } }
          }
        }
        subject.send(completion: .finished)
      }
      var next = [0, 0, 0, 0]
      for await (sender, number) in stream {
        #expect(next[sender] == number)
        next[sender] = number + 1
      }
      #expect(next == [100, 100, 100, 100])
      await senders.value
    }
  }

  @Test func streamIsSendable() {
    func requireSendable<T: Sendable>(_: T.Type) {}
    requireSendable(CombineAsyncStream<PassthroughSubject<Int, Never>>.self)
    requireSendable(AsyncValues<PassthroughSubject<Int, Never>>.self)
    requireSendable(AsyncChannel<Int, Never>.self)
  }
}
