import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncMulticastSequenceTests {
  typealias Subject = AsyncPassthroughSubject<Int, TestError>

  // MARK: connect()

  @Test func nothingIsTakenBeforeConnecting() async throws {
    let source = Source()
    let multicast = source.multicast(Subject())
    var consumers = [multicast.makeAsyncIterator(), multicast.makeAsyncIterator()]
    source.send(1)
    source.finish()
    for _ in 0..<20 { await Task.yield() }
    #expect(source.requested.count == 0)
    let connection = multicast.connect()
    for index in consumers.indices {
      #expect(try await consumers[index].next() == 1)
      #expect(try await consumers[index].next() == nil)
    }
    await source.released.wait()
    withExtendedLifetime(connection) {}
  }

  @Test func aFailureGoesIntoTheSubject() async throws {
    let source = Source()
    let subject = Subject()
    let multicast = source.multicast(subject)
    var consumer = subject.makeAsyncIterator()
    let connection = multicast.connect()
    source.fail(TestError("a"))
    await #expect(throws: TestError("a")) { try await consumer.next() }
    #expect(try await consumer.next() == nil)
    withExtendedLifetime(connection) {}
  }

  @Test func connectingTwiceIsOneConnection() async throws {
    let source = Source()
    let multicast = source.multicast(Subject())
    let first = multicast.connect()
    #expect(multicast.connect() === first)
    await source.requested.wait()
    first.cancel()
    await source.released.wait()
    #expect(source.requested.count == 1)
    let second = multicast.connect()
    #expect(second !== first)
    await source.requested.wait(2)
    second.cancel()
    await source.released.wait(2)
  }

  @Test func cancellingAConnectionKeepsTheConsumers() async throws {
    let source = ManualSource<Int, Never>()
    let later = ManualSource<Int, Never>()
    let subject = AsyncPassthroughSubject<Int, Never>()
    var consumer = subject.makeAsyncIterator()
    let connection = source.multicast(subject).connect()
    source.send(1)
    #expect(await consumer.next() == 1)
    connection.cancel()
    await source.released.wait()
    #expect(subject.consumerCount == 1)
    let other = later.multicast(subject).connect()
    later.send(2)
    #expect(await consumer.next() == 2)
    later.finish()
    #expect(await consumer.next() == nil)
    withExtendedLifetime(other) {}
  }

  @Test func releasingTheConnectionCancelsTheBase() async {
    let source = Source()
    do {
      let connection = source.multicast(Subject()).connect()
      await source.requested.wait()
      withExtendedLifetime(connection) {}
    }
    await source.cancelled.wait()
    await source.released.wait()
  }

  @Test func afterTheEndOfTheBaseConnectingDoesNothing() async {
    let source = ready([1, 2])
    let multicast = source.multicast(AsyncReplaySubject<Int, Never>(bufferSize: 1))
    var connection = multicast.connect()
    #expect(await collect(multicast).values.last == 2)
    await source.released.wait()
    for _ in 0..<20 { await Task.yield() }
    connection = multicast.connect()
    for _ in 0..<20 { await Task.yield() }
    #expect(source.taken.value == 2)
    withExtendedLifetime(connection) {}
  }

  /// What tells a disconnection from that is the connection.
  @Test func aBaseThatCancelsItsTaskGoesOn() async {
    let base = ready([1, 2, 3]).map { number in
      withUnsafeCurrentTask { $0?.cancel() }
      return number
    }
    let values = await collect(base.multicast(AsyncPassthroughSubject<Int, Never>()).autoconnect()).values
    #expect(values == [1, 2, 3])
  }

  @Test func aBaseThatCannotFailGoesIntoASubjectThatCan() async throws {
    let multicast = ready([1]).multicast(Subject())
    #expect(fails(multicast, with: TestError.self))
    #expect(fails(ready([1]).multicast(AsyncPassthroughSubject<Int, Never>()), with: Never.self))
    #expect(await collect(multicast.autoconnect()).values == [1])
  }

  // MARK: autoconnect()

  @Test func elementsComeAtTheirTimes() throws {
    let timeline = TestTimeline()
    let subject = AsyncPassthroughSubject<String, Never>()
    let shared = try timeline.sequence("a-b--(cd)|").multicast(subject).autoconnect()
    try timeline.expect(shared, toEmit: "a-b!")
    // With the last consumer, the base was cancelled: it begins again.
    try timeline.expect(shared, toEmit: "a-b--(cd)|")
    try timeline.expect(shared, toEmit: "|")
    let failing = try timeline.sequence("a-#", error: TestError("a"))
      .multicast(AsyncPassthroughSubject<String, TestError>()).autoconnect()
    try timeline.expect(failing, toEmit: "a-#", error: TestError("a"))
    timeline.advance()
    try timeline.verifyFinished()
  }

  @Test func theBaseIsIteratedOnceForAllConsumers() async throws {
    let source = Source()
    let shared = source.multicast(Subject()).autoconnect()
    var first = shared.makeAsyncIterator()
    var second = shared.makeAsyncIterator()
    for _ in 0..<20 { await Task.yield() }
    #expect(source.requested.count == 0)
    source.send(1)
    #expect(try await first.next() == 1)
    source.send(2)
    #expect(try await second.next() == 1)
    #expect(try await second.next() == 2)
    source.finish()
    #expect(try await second.next() == nil)
    #expect(try await first.next() == 2)
    #expect(try await first.next() == nil)
    #expect(source.requested.count == 3)
  }

  @Test func severalCallsOfAutoconnectShareOneIteration() async throws {
    let source = Source()
    let multicast = source.multicast(Subject())
    var first = multicast.autoconnect().makeAsyncIterator()
    var second = multicast.autoconnect().makeAsyncIterator()
    let explicit = multicast.connect()
    source.send(1)
    #expect(try await first.next() == 1)
    #expect(try await second.next() == 1)
    source.send(2)
    #expect(try await first.next() == 2)
    #expect(try await second.next() == 2)
    #expect(multicast.connect() === explicit)
    source.finish()
    #expect(try await first.next() == nil)
    #expect(try await second.next() == nil)
    #expect(source.requested.count == 3)
  }

  @Test func theLastConsumerLeavesWhatOthersKeepConnected() async throws {
    let source = Source()
    let multicast = source.multicast(Subject())
    let connection: AsyncMulticastConnection
    do {
      var consumer = multicast.autoconnect().makeAsyncIterator()
      source.send(1)
      #expect(try await consumer.next() == 1)
      connection = multicast.connect()
    }
    var later = multicast.makeAsyncIterator()
    source.send(2)
    #expect(try await later.next() == 2)
    #expect(source.cancelled.count == 0)
    connection.cancel()
    await source.cancelled.wait()
  }

  @Test func theBaseIsCancelledWithTheLastConsumer() async throws {
    let source = Source()
    let shared = source.multicast(Subject()).autoconnect()
    do {
      var first: AsyncAutoconnectSequence<Source, Subject>.Iterator? = shared.makeAsyncIterator()
      var second = shared.makeAsyncIterator()
      source.send(1)
      #expect(try await second.next() == 1)
      await source.requested.wait(2)
      #expect(first != nil)
      first = nil
      for _ in 0..<20 { await Task.yield() }
      #expect(source.cancelled.count == 0)
      withExtendedLifetime(second) {}
    }
    await source.cancelled.wait()
    await source.released.wait()
    withExtendedLifetime(shared) {}
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(1) { $0[0].multicast(Subject()).autoconnect() }
  }

  @MainActor @Test func theConsumersActorIsKept() async {
    let shared = ready(Array(0..<50)).multicast(AsyncPassthroughSubject<Int, Never>()).autoconnect()
    for await _ in shared { MainActor.assertIsolated() }
  }
}
