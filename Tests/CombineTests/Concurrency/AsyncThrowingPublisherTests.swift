import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncThrowingPublisherTests {
  @Test func failureIsThrownOnceAfterTheValues() async throws {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    var iterator = publisher.values.makeAsyncIterator()
    publisher.send(1)
    publisher.send(completion: .failure(TestError("broken")))
    #expect(try await iterator.next() == 1)
    await #expect(throws: TestError("broken")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func failureWakesAConsumer() async {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let task = Task { await collect(publisher.values) }
    await until { publisher.requests.count == 1 }
    publisher.send(completion: .failure(TestError("broken")))
    let (values, error) = await task.value
    #expect(values == [])
    #expect(error as? TestError == TestError("broken"))
  }

  @Test func cancellationEndsWithNilAndNotWithAnError() async throws {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let task = Task {
      var iterator = publisher.values.makeAsyncIterator()
      return try await iterator.next()
    }
    await until { publisher.requests.count == 1 }
    task.cancel()
    #expect(try await task.value == nil)
    #expect(publisher.cancellations.count == 1)
  }

  @Test func breakCancelsUpstream() async throws {
    let publisher = TestPublisher<Int, TestError>(keepsSubscribers: true)
    publisher.onRequest = { _ in publisher.send(1) }
    for try await _ in publisher.values { break }
    #expect(publisher.cancellations.count == 1)
  }
}
