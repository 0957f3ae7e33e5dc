import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

/// `values` right behind a `buffer`, which the iterator takes the place of.
@Suite struct BufferedValuesTests {
  @Test func unlimitedBufferLosesNothing() async {
    let subject = PassthroughSubject<Int, Never>()
    var iterator = subject.buffer(size: .max, prefetch: .byRequest, whenFull: .dropOldest).values.makeAsyncIterator()
    for value in 1...3 { subject.send(value) }
    #expect(await iterator.next() == 1)
    for value in 4...6 { subject.send(value) }
    subject.send(completion: .finished)
    for expected in 2...6 { #expect(await iterator.next() == expected) }
    #expect(await iterator.next() == nil)
  }

  @Test(arguments: [(Policy.dropOldest, [2, 5, 6]), (.dropNewest, [1, 2, 4])])
  func fullBufferKeepsToItsPolicy(policy: Policy, expected: [Int]) async {
    let subject = PassthroughSubject<Int, Never>()
    var iterator = policy.buffer(subject, size: 2).values.makeAsyncIterator()
    for value in 1...3 { subject.send(value) }
    var received = [await iterator.next()]
    for value in 4...6 { subject.send(value) }
    subject.send(completion: .finished)
    for _ in expected { received.append(await iterator.next()) }
    #expect(received == expected + [nil])
  }

  @Test func bufferWithoutRoomPassesOnWhatIsWaitedFor() async {
    let subject = PassthroughSubject<Int, Never>()
    var iterator = subject.buffer(size: 0, prefetch: .byRequest, whenFull: .dropOldest).values.makeAsyncIterator()
    subject.send(1)
    subject.send(completion: .finished)
    #expect(await iterator.next() == nil)
  }

  @Test(arguments: [Policy.dropOldest, .dropNewest])
  func sameValuesAsThroughAnOperatorInBetween(policy: Policy) async {
    for seed in 1...200 as ClosedRange<UInt64> {
      var random = Random(seed)
      let size = Int.random(in: 1...5, using: &random)
      let subject = PassthroughSubject<Int, Never>()
      var direct = policy.buffer(subject, size: size).values.makeAsyncIterator()
      var throughMap = policy.buffer(subject, size: size).map { $0 }.values.makeAsyncIterator()
      var (next, kept) = (0, 0)
      for _ in 0..<20 {
        for _ in 0..<Int.random(in: 0...7, using: &random) {
          subject.send(next)
          next += 1
          kept = min(kept + 1, size)
        }
        for _ in 0..<Int.random(in: 0...kept, using: &random) {
          let value = await direct.next()
          #expect(value != nil)
          #expect(await throughMap.next() == value, "seed \(seed)")
          kept -= 1
        }
      }
      subject.send(completion: .finished)
      while let value = await direct.next() { #expect(await throughMap.next() == value, "seed \(seed)") }
      #expect(await throughMap.next() == nil)
    }
  }

  @Test func errorOfAFullBufferComesAfterWhatItKeeps() async throws {
    let subject = PassthroughSubject<Int, TestError>()
    var iterator = subject.buffer(size: 2, prefetch: .byRequest, whenFull: .customError { TestError("full") }).values
      .makeAsyncIterator()
    for value in 1...3 { subject.send(value) }
    #expect(try await iterator.next() == 1)
    #expect(try await iterator.next() == 2)
    await #expect(throws: TestError.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func failureComesAfterWhatWaits() async throws {
    let subject = PassthroughSubject<Int, TestError>()
    var iterator = subject.buffer(size: 8, prefetch: .byRequest, whenFull: .dropOldest).values.makeAsyncIterator()
    subject.send(1)
    subject.send(completion: .failure(TestError("full")))
    #expect(try await iterator.next() == 1)
    await #expect(throws: TestError.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  // MARK: Demand

  @Test func upstreamIsAskedWithoutLimitWhenIterationStarts() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let buffered = publisher.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
    var iterator = buffered.values.makeAsyncIterator()
    #expect(publisher.requests == [.unlimited])
    #expect(publisher.send(1) == .none)
    #expect(await iterator.next() == 1)
    #expect(publisher.requests == [.unlimited])
  }

  @Test func keptFullBufferAsksForItsSizeAndForWhatHasLeft() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let buffered = publisher.buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest)
    var iterator = buffered.values.makeAsyncIterator()
    #expect(publisher.requests == [.max(2)])
    publisher.send(1)
    #expect(await iterator.next() == 1)
    #expect(publisher.requests == [.max(2), .max(1)])
  }

  @Test func erasedBufferKeepsToItsPolicy() async {
    let subject = PassthroughSubject<Int, Never>()
    let erased = subject.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest).eraseToAnyPublisher()
    var iterator = erased.values.makeAsyncIterator()
    for value in 1...5 { subject.send(value) }
    subject.send(completion: .finished)
    #expect(await iterator.next() == 4)
    #expect(await iterator.next() == 5)
    #expect(await iterator.next() == nil)
  }

  @Test func outerOfTwoBuffersKeepsTheValues() async {
    let subject = PassthroughSubject<Int, Never>()
    var iterator = subject.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest)
      .buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest).values.makeAsyncIterator()
    for value in 1...5 { subject.send(value) }
    subject.send(completion: .finished)
    #expect(await iterator.next() == 4)
    #expect(await iterator.next() == 5)
    #expect(await iterator.next() == nil)
  }

  // MARK: Cancellation

  @Test func droppingTheIteratorCancelsUpstream() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    var iterator: AsyncPublisher<Publishers.Buffer<TestPublisher<Int, Never>>>.Iterator? =
      publisher.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest).values.makeAsyncIterator()
    publisher.send(1)
    #expect(await iterator?.next() == 1)
    #expect(publisher.cancellations.isEmpty)
    iterator = nil
    #expect(publisher.cancellations.count == 1)
  }

  @Test func everyValueOfAProducerOnAnotherThreadArrivesInOrder() async {
    for _ in 0..<20 {
      let subject = PassthroughSubject<Int, Never>()
      var iterator = subject.buffer(size: .max, prefetch: .byRequest, whenFull: .dropOldest).values
        .makeAsyncIterator()
      let producer = Task.detached {
        for value in 0..<5_000 { subject.send(value) }
        subject.send(completion: .finished)
      }
      var expected = 0
      while let value = await iterator.next() {
        guard value == expected else { break }
        expected += 1
      }
      #expect(expected == 5_000)
      await producer.value
    }
  }
}

enum Policy {
  case dropOldest
  case dropNewest

  func buffer<P: Publisher>(_ publisher: P, size: Int) -> Publishers.Buffer<P> {
    switch self {
    case .dropOldest: publisher.buffer(size: size, prefetch: .byRequest, whenFull: .dropOldest)
    case .dropNewest: publisher.buffer(size: size, prefetch: .byRequest, whenFull: .dropNewest)
    }
  }
}
