import AsyncOperators
import InterflowTestSupport
import Testing

/// What a subject sends after a sequence of it has been connected arrives, whoever connects or leaves meanwhile.
@Suite struct AsyncMulticastConnectionTests {
  @Test func aSecondConnectReturnsWithAnIteratorOfTheBase() async {
    let base = SlowSubject()
    let multicast = base.multicast(AsyncPassthroughSubject<Int, Never>())
    var consumer = multicast.makeAsyncIterator()
    let first = Shared<AsyncMulticastConnection?>(nil)
    let done = beginOnOtherThread { first.value = multicast.connect() }
    base.begun.wait()
    let second = multicast.connect()
    base.subject.send(1)
    base.proceed.open()
    done.wait()
    base.subject.send(2)
    base.subject.finish()
    #expect(await consumer.next() == 1)
    #expect(await consumer.next() == 2)
    #expect(first.value === second)
  }

  @Test func aConsumerThatComesMeanwhileHasAnIteratorOfTheBase() async {
    let base = SlowSubject()
    let multicast = base.multicast(AsyncPassthroughSubject<Int, Never>())
    let first = Shared<AsyncMulticastConnection?>(nil)
    let done = beginOnOtherThread { first.value = multicast.connect() }
    base.begun.wait()
    var consumer = multicast.autoconnect().makeAsyncIterator()
    base.subject.send(1)
    base.proceed.open()
    done.wait()
    base.subject.send(2)
    base.subject.finish()
    #expect(await consumer.next() == 1)
    #expect(await consumer.next() == 2)
    #expect(base.made.value == 2)
  }

  @Test func aConnectionCancelledMeanwhileIsNotStarted() async {
    let base = SlowSubject()
    let multicast = base.multicast(AsyncPassthroughSubject<Int, Never>())
    let first = Shared<AsyncMulticastConnection?>(nil)
    let done = beginOnOtherThread { first.value = multicast.connect() }
    base.begun.wait()
    multicast.connect().cancel()
    base.proceed.open()
    done.wait()
    await until { base.subject.consumerCount == 0 }
    let connection = multicast.connect()
    #expect(connection !== first.value)
    #expect(base.subject.consumerCount == 1)
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

/// Its first iterator is made when the test says so.
private final class SlowSubject: AsyncSequence, Sendable {
  let subject = AsyncPassthroughSubject<Int, Never>()
  let made = Shared(0)
  let begun = Latch()
  let proceed = Latch()

  func makeAsyncIterator() -> AsyncPassthroughSubject<Int, Never>.AsyncIterator {
    if made.update({ made in
      made += 1
      return made == 1
    }) {
      begun.open()
      proceed.wait()
    }
    return subject.makeAsyncIterator()
  }
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
