import AsyncOperators
import InterflowTestSupport
import Testing

/// What a subject sends after a sequence of it has been connected arrives, whoever connects or leaves meanwhile.
@Suite struct AsyncMulticastConnectionTests {
  /// A connection that another thread has begun. It makes the base's iterator when the test says so.
  private struct Connecting {
    let subject = AsyncPassthroughSubject<Int, Never>()
    let base: SlowToStart<AsyncPassthroughSubject<Int, Never>>
    let multicast:
      AsyncMulticastSequence<
        SlowToStart<AsyncPassthroughSubject<Int, Never>>, AsyncPassthroughSubject<Int, Never>
      >
    let connection = Shared<AsyncMulticastConnection?>(nil)
    private let done: Latch

    init() {
      base = SlowToStart(subject)
      multicast = base.multicast(AsyncPassthroughSubject<Int, Never>())
      done = beginOnOtherThread { [multicast, connection] in connection.value = multicast.connect() }
      base.begun.wait()
    }

    func finish() {
      base.proceed.open()
      done.wait()
    }
  }

  @Test func aSecondConnectReturnsWithAnIteratorOfTheBase() async {
    let first = Connecting()
    var consumer = first.multicast.makeAsyncIterator()
    let second = first.multicast.connect()
    first.subject.send(1)
    first.finish()
    first.subject.send(2)
    first.subject.finish()
    #expect(await consumer.next() == 1)
    #expect(await consumer.next() == 2)
    #expect(first.connection.value === second)
  }

  @Test func aConsumerThatComesMeanwhileHasAnIteratorOfTheBase() async {
    let first = Connecting()
    var consumer = first.multicast.autoconnect().makeAsyncIterator()
    first.subject.send(1)
    first.finish()
    first.subject.send(2)
    first.subject.finish()
    #expect(await consumer.next() == 1)
    #expect(await consumer.next() == 2)
    #expect(first.base.made.value == 2)
  }

  @Test func aConnectionCancelledMeanwhileIsNotStarted() async {
    let first = Connecting()
    first.multicast.connect().cancel()
    first.finish()
    await until { first.subject.consumerCount == 0 }
    let connection = first.multicast.connect()
    #expect(connection !== first.connection.value)
    #expect(first.subject.consumerCount == 1)
  }

  @Test func theBaseMayConnectItselfWhileItsIteratorIsMade() async {
    let base = SelfConnecting()
    let multicast = base.multicast(AsyncPassthroughSubject<Int, Never>())
    base.whileMaking.value = { [unowned base] in
      base.connections.update { $0.append(multicast.connect()) }
      _ = multicast.autoconnect().makeAsyncIterator()
    }
    let connection = multicast.connect()
    #expect(base.connections.value.count == 1)
    #expect(base.connections.value.first === connection)
    var consumer = multicast.makeAsyncIterator()
    base.subject.send(1)
    #expect(await consumer.next() == 1)
    base.whileMaking.value = {}
  }

  @Test func theBaseMayReplaceTheConnectionWhileItsIteratorIsMade() async {
    let base = SelfConnecting()
    let multicast = base.multicast(AsyncPassthroughSubject<Int, Never>())
    base.whileMaking.value = { [unowned base] in
      base.whileMaking.value = {}
      multicast.connect().cancel()
      base.connections.update { $0.append(multicast.connect()) }
    }
    var consumer = multicast.makeAsyncIterator()
    let outer = multicast.connect()
    #expect(base.connections.value.first === outer)
    base.connections.value = []
    guard base.subject.consumerCount == 1 else {
      Issue.record("nothing iterates the base")
      return
    }
    base.subject.send(1)
    #expect(await consumer.next() == 1)
  }

  @Test func theBaseMayHaveItselfAsAConsumer() async {
    let base = SelfConnecting()
    let shared = base.multicast(AsyncPassthroughSubject<Int, Never>()).autoconnect()
    base.whileMaking.value = { _ = shared.makeAsyncIterator() }
    var consumer = shared.makeAsyncIterator()
    base.subject.send(1)
    #expect(await consumer.next() == 1)
    base.whileMaking.value = {}
  }

  // MARK: Consumers of autoconnect()

  @Test func aConsumerKeepsWhatAnotherOneHasConnected() async {
    let subject = AsyncPassthroughSubject<Int, Never>()
    let multicast = subject.multicast(AsyncPassthroughSubject<Int, Never>())
    var connection: AsyncMulticastConnection? = multicast.connect()
    #expect(connection != nil)
    var consumer = multicast.autoconnect().makeAsyncIterator()
    connection = nil
    subject.send(1)
    subject.finish()
    #expect(await consumer.next() == 1)
    #expect(await consumer.next() == nil)
  }

  @Test func aConnectionThatIsReleasedAtOnceLosesNothing() async {
    let subject = AsyncPassthroughSubject<Int, Never>()
    let multicast = subject.multicast(AsyncPassthroughSubject<Int, Never>())
    do {
      let consumer = multicast.autoconnect().makeAsyncIterator()
      _ = multicast.connect()
      withExtendedLifetime(consumer) {}
    }
    // The last one disconnects what it has kept.
    await until { subject.consumerCount == 0 }
    var consumer = multicast.autoconnect().makeAsyncIterator()
    _ = multicast.connect()
    subject.send(1)
    subject.finish()
    #expect(await consumer.next() == 1)
    #expect(await consumer.next() == nil)
  }

  @Test func whoConnectsWhileTheLastConsumerLeavesHasAnIterator() {
    for _ in 0..<stressRuns {
      let subject = AsyncPassthroughSubject<Int, Never>()
      let multicast = subject.multicast(AsyncPassthroughSubject<Int, Never>())
      let consumers = Consumers(multicast.autoconnect().makeAsyncIterator())
      let connection = Shared<AsyncMulticastConnection?>(nil)
      inParallel(2) { index in
        if index == 0 { consumers.first = nil } else { connection.value = multicast.connect() }
      }
      #expect(subject.consumerCount == 1)
    }
  }

  @Test func aConsumerThatComesWhileTheLastLeavesMissesNothing() async {
    for _ in 0..<stressRuns {
      let subject = AsyncPassthroughSubject<Int, Never>()
      let shared = subject.multicast(AsyncPassthroughSubject<Int, Never>()).autoconnect()
      let consumers = Consumers(shared.makeAsyncIterator())
      subject.send(0)
      #expect(await consumers.nextOfFirst() == 0)
      inParallel(2) { index in
        if index == 0 {
          consumers.first = nil
        } else {
          consumers.second = shared.makeAsyncIterator()
          subject.send(1)
        }
      }
      subject.finish()
      #expect(await consumers.nextOfSecond() == 1)
    }
  }
}

private typealias Consumer = AsyncAutoconnectSequence<
  AsyncPassthroughSubject<Int, Never>, AsyncPassthroughSubject<Int, Never>
>.Iterator

/// Each is used by one thread at a time: by one of those that the test waits for, or by the test.
private final class Consumers: @unchecked Sendable {
  var first: Consumer?
  var second: Consumer?

  init(_ first: sending Consumer) { self.first = first }

  func nextOfFirst() async -> Int? { await first?.next() }
  func nextOfSecond() async -> Int? { await second?.next() }
}

/// Does something while its iterator is made.
private final class SelfConnecting: AsyncSequence, Sendable {
  let subject = AsyncPassthroughSubject<Int, Never>()
  let connections = Shared<[AsyncMulticastConnection]>([])
  let whileMaking = Shared<@Sendable () -> Void>({})

  func makeAsyncIterator() -> AsyncPassthroughSubject<Int, Never>.AsyncIterator {
    whileMaking.value()
    return subject.makeAsyncIterator()
  }
}
