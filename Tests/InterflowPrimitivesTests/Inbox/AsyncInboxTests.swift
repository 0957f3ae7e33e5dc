import InterflowPrimitives
import Synchronization
import Testing

@Suite struct AsyncInboxTests {
  private final class StubUpstream: AsyncInboxUpstream, @unchecked Sendable {  // `lock` guards `recorded`.
    private let lock = Lock()
    private var recorded: [Int] = []
    let cancellations = Atomic(0)
    let onRequest: @Sendable (Int) -> Void

    init(onRequest: @escaping @Sendable (Int) -> Void = { _ in }) {
      self.onRequest = onRequest
    }

    var requests: [Int] {
      lock.lock()
      defer { lock.unlock() }
      return recorded
    }

    func request(_ count: Int) {
      lock.lock()
      recorded.append(count)
      lock.unlock()
      onRequest(count)
    }

    func cancel() { cancellations.wrappingAdd(1, ordering: .relaxed) }
  }

  private struct StubError: Error, Equatable {}

  private typealias Inbox = AsyncInbox<Int, StubError, StubUpstream>

  private func inbox(batch: Int = 1) -> (Inbox, StubUpstream) {
    let inbox = Inbox(AsyncInboxStateMachine(batch: batch))
    let upstream = StubUpstream()
    inbox.link(upstream)
    return (inbox, upstream)
  }

  private func waitUntil(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  @Test func valueSentInsideTheRequestIsTakenWithoutWaiting() async throws {
    let inbox = Inbox(AsyncInboxStateMachine(batch: 1))
    inbox.link(StubUpstream { _ in inbox.receive(7) })
    #expect(inbox.poll() == 7)
    #expect(try await inbox.next(isolation: nil) == 7)
    inbox.cancel()
  }

  @Test func consumersAreServedInTheOrderInWhichTheyBeganToWait() async throws {
    let (inbox, upstream) = inbox()
    var consumers: [Task<Int?, any Error>] = []
    for index in 1...20 {
      consumers.append(Task { try await inbox.next(isolation: nil) })
      await waitUntil { inbox.waiterCount == index }
    }
    #expect(upstream.requests == Array(repeating: 1, count: 20))
    for value in 0..<20 { inbox.receive(value) }
    for (index, consumer) in consumers.enumerated() { #expect(try await consumer.value == index) }
  }

  @Test func failureGoesToTheFirstWaiterAndTheEndToTheRest() async throws {
    let (inbox, _) = inbox()
    let first = Task { try await inbox.next(isolation: nil) }
    await waitUntil { inbox.waiterCount == 1 }
    let second = Task { try await inbox.next(isolation: nil) }
    await waitUntil { inbox.waiterCount == 2 }
    inbox.complete(StubError())
    await #expect(throws: StubError()) { try await first.value }
    #expect(try await second.value == nil)
  }

  @Test func cancellingAWaitingConsumerEndsEveryWaitAndCancelsUpstreamOnce() async throws {
    let (inbox, upstream) = inbox()
    let first = Task { try await inbox.next(isolation: nil) }
    let second = Task { try await inbox.next(isolation: nil) }
    await waitUntil { inbox.waiterCount == 2 }
    first.cancel()
    #expect(upstream.cancellations.load(ordering: .relaxed) == 1)
    #expect(try await first.value == nil)
    #expect(try await second.value == nil)
    inbox.cancel()
    #expect(upstream.cancellations.load(ordering: .relaxed) == 1)
  }

  @Test func cancelledTaskDropsWhatIsBufferedAtItsNextCall() async throws {
    let (inbox, upstream) = inbox(batch: 8)
    for value in 0..<4 { inbox.receive(value) }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await inbox.next(isolation: nil)
    }
    #expect(try await task.value == nil)
    #expect(upstream.cancellations.load(ordering: .relaxed) == 1)
    #expect(try await inbox.next(isolation: nil) == nil)
  }

  @Test func newestValuesStay() async throws {
    let inbox = Inbox(AsyncInboxStateMachine(capacity: 3, keepsOldest: false))
    inbox.link(StubUpstream())
    for value in 0..<10 { inbox.receive(value) }
    inbox.complete(nil)
    for value in 7..<10 { #expect(try await inbox.next(isolation: nil) == value) }
    #expect(try await inbox.next(isolation: nil) == nil)
    #expect(inbox.droppedCount == 7)
  }

  @Test func valuesFromAnotherThreadArriveCompleteAndInOrder() async throws {
    let inbox = Inbox(AsyncInboxStateMachine(capacity: .max, keepsOldest: true))
    inbox.link(StubUpstream())
    let count = 200_000
    let producer = Task.detached {
      for value in 0..<count { inbox.receive(value) }
      inbox.complete(nil)
    }
    var expected = 0
    while let value = try await inbox.next(isolation: nil) {
      guard value == expected else { break }
      expected += 1
    }
    #expect(expected == count)
    await producer.value
  }

  @Test func concurrentConsumersShareEveryValueOnce() async throws {
    for _ in 0..<200 {
      let (inbox, upstream) = inbox()
      let total = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<4 {
          group.addTask {
            var sum = 0
            while let value = try await inbox.next(isolation: nil) { sum += value }
            return sum
          }
        }
        group.addTask {
          for value in 1...50 { inbox.receive(value) }
          inbox.complete(nil)
          return 0
        }
        return try await group.reduce(0, +)
      }
      #expect(total == 50 * 51 / 2)
      #expect(upstream.cancellations.load(ordering: .relaxed) == 0)
    }
  }

  @Test func everyConsumerIsServedByAnUpstreamThatHeedsDemand() async throws {
    for _ in 0..<200 {
      let inbox = Inbox(AsyncInboxStateMachine(batch: 1))
      inbox.link(StubUpstream { _ in Task.detached { inbox.receive(1) } })
      try await withThrowingTaskGroup(of: Int?.self) { group in
        for _ in 0..<8 { group.addTask { try await inbox.next(isolation: nil) } }
        for try await value in group { #expect(value == 1) }
      }
      inbox.cancel()
    }
  }

  @Test func valueCompletionAndCancellationRaceToOneOutcome() async {
    for _ in 0..<2_000 {
      let (inbox, upstream) = inbox()
      let consumer = Task {
        var values: [Int] = []
        while let value = try await inbox.next(isolation: nil) { values.append(value) }
        return values
      }
      async let producer: Void = {
        inbox.receive(1)
        inbox.complete(nil)
      }()
      consumer.cancel()
      await producer
      let values = try? await consumer.value
      #expect(values == [] || values == [1])
      #expect(upstream.cancellations.load(ordering: .relaxed) <= 1)
      #expect(inbox.waiterCount == 0)
    }
  }
}
