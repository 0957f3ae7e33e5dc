import Dispatch
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct ConnectionQueueTests {
  @Test func aCallThatWaitsDoesNotDelayOthers() async throws {
    let queue = ConnectionQueue(maxThreadCount: 4)
    let latch = DispatchSemaphore(value: 0)
    for _ in 1..<queue.maxThreadCount { queue.start { latch.wait() } }
    #expect(try await queue.run { .success(1) } == 1)
    for _ in 1..<queue.maxThreadCount { latch.signal() }
  }

  @Test func noMoreThreadsThanTheMost() async throws {
    let queue = ConnectionQueue(maxThreadCount: 4)
    let threads = Shared((now: 0, most: 0))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask {
          _ = try? await queue.run { () -> Result<Void, NATSError> in
            threads.update { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            threads.update { $0.now -= 1 }
            return .success(())
          }
        }
      }
    }
    #expect(threads.value.now == 0)
    #expect((1...queue.maxThreadCount).contains(threads.value.most))
  }

  @Test func aCallIsReleasedWhenItHasRun() async throws {
    let queue = ConnectionQueue(maxThreadCount: 4)
    let counter = LifetimeCounter()
    let (latch, done) = (DispatchSemaphore(value: 0), Signal())
    // Those behind them wait in the queue.
    for _ in 0..<queue.maxThreadCount { queue.start { latch.wait() } }
    for _ in 0..<20 {
      let token = counter.make()
      queue.start { withExtendedLifetime(token) { done.fire() } }
    }
    for _ in 0..<queue.maxThreadCount { latch.signal() }
    await done.wait(20)
    await until { counter.count == 0 }
  }

  @Test func whatACallHoldsMayUseTheQueueWhenItIsDeallocated() async throws {
    final class User: Sendable {
      let queue: ConnectionQueue
      let gone: Signal

      init(_ queue: ConnectionQueue, _ gone: Signal) {
        self.queue = queue
        self.gone = gone
      }

      deinit { queue.start { [gone] in gone.fire() } }
    }
    let (queue, gone) = (ConnectionQueue(maxThreadCount: 4), Signal())
    let count = 200
    for _ in 0..<count {
      let user = User(queue, gone)
      queue.start { withExtendedLifetime(user) {} }
    }
    await gone.wait(count)
  }

  @Test func aCallEndsForItsCallerWhenItsTimeIsOver() async {
    let queue = ConnectionQueue(maxThreadCount: 1)
    let (latch, begun, released) = (DispatchSemaphore(value: 0), Signal(), Signal())
    let error = await natsError {
      try await queue.run(within: .milliseconds(1), while: "waiting") { () -> Result<Void, NATSError> in
        begun.fire()
        latch.wait()
        released.fire()
        return .success(())
      }
    }
    #expect(error?.kind == .timeout)
    #expect(error?.operation == "waiting")
    latch.signal()
    // Where it had begun, it goes on.
    if begun.count == 1 { await released.wait() }
  }

  @Test func cancellingEndsACallForItsCaller() async {
    let queue = ConnectionQueue(maxThreadCount: 1)
    let (latch, begun) = (DispatchSemaphore(value: 0), Signal())
    let task = Task {
      await natsError {
        try await queue.run { () -> Result<Void, NATSError> in
          begun.fire()
          latch.wait()
          return .success(())
        }
      }
    }
    await begun.wait()
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
    latch.signal()
  }

  @Test func aCallThatNobodyWaitsForIsNotBegun() async {
    let queue = ConnectionQueue(maxThreadCount: 1)
    let (latch, begun, done) = (DispatchSemaphore(value: 0), Signal(), Signal())
    queue.start { latch.wait() }
    let error = await natsError {
      try await queue.run(within: .milliseconds(1)) { () -> Result<Void, NATSError> in
        begun.fire()
        return .success(())
      }
    }
    #expect(error?.kind == .timeout)
    latch.signal()
    queue.start { done.fire() }
    await done.wait()
    #expect(begun.count == 0)
  }

  @Test func callsRunOnThreadsOfThePoolAlone() async throws {
    let pool = ThreadPool("tests", maxThreadCount: 1)
    let queue = ConnectionQueue(maxThreadCount: 2, pool: pool)
    let (latch, begun) = (DispatchSemaphore(value: 0), Signal())
    pool.start {
      begun.fire()
      latch.wait()
    }
    await begun.wait()
    // On any other thread, it could begin.
    let error = await natsError { try await queue.run(within: .milliseconds(200)) { .success(()) } }
    #expect(error?.kind == .timeout)
    latch.signal()
    #expect(try await queue.run { .success(1) } == 1)
  }

  @Test func anErrorIsThrown() async {
    let queue = ConnectionQueue(maxThreadCount: 4)
    let error = await natsError {
      try await queue.run { () -> Result<Void, NATSError> in
        .failure(NATSError(kind: .timeout, operation: "waiting", message: "too long"))
      }
    }
    #expect(error?.kind == .timeout)
  }
}
