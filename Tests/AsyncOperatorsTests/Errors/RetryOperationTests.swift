import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct RetryOperationTests {
  /// Fails so many times.
  private final class Operation: Sendable {
    let calls = Shared(0)
    let failures: Int

    init(failures: Int) { self.failures = failures }

    func callAsFunction() async throws(TestError) -> Int {
      let number = calls.update {
        $0 += 1
        return $0
      }
      await Task.yield()
      if number <= failures { throw TestError("try \(number)") }
      return number
    }
  }

  @Test func aTryThatSucceedsIsTheLast() async throws {
    let operation = Operation(failures: 2)
    #expect(try await retry(5) { () async throws(TestError) in try await operation() } == 3)
    #expect(operation.calls.value == 3)
  }

  @Test func theLastErrorIsThrown() async {
    let operation = Operation(failures: .max)
    do throws(TestError) {
      _ = try await retry(2) { () async throws(TestError) in try await operation() }
      Issue.record("it has not failed")
    } catch {
      #expect(error == TestError("try 3"))
    }
    #expect(operation.calls.value == 3)
    await #expect(throws: TestError("try 4")) { try await retry(0) { try await operation() } }
  }

  @Test func aClosureThatCannotThrowNeedsNoTry() async {
    #expect(await retry(1) { 7 } == 7)
  }

  @Test func theBackoffIsWaitedFor() async throws {
    let clock = TestClock()
    let begin = clock.now
    let operation = Operation(failures: 3)
    let backoff = RetryBackoff.exponential(from: Duration.seconds(1), upTo: .seconds(3))
    let task = Task {
      _ = try await retry(3, backoff: backoff, clock: clock) { try await operation() }
      return begin.duration(to: clock.now)
    }
    for seconds in [1, 2, 3] {
      await clock.waitForSleepers(1)
      await clock.advance(by: .seconds(seconds))
    }
    #expect(try await task.value == .seconds(6))
  }

  @Test func cancellingTheWaitEndsItAtOnce() async {
    let clock = TestClock()
    let operation = Operation(failures: .max)
    let task = Task { () async throws(TestError) in
      try await retry(.max, backoff: .constant(.seconds(1_000)), clock: clock) { () async throws(TestError) in
        try await operation()
      }
    }
    await clock.waitForSleepers(1)
    task.cancel()
    let result = await task.result
    #expect(throws: TestError("try 1")) { try result.get() }
    #expect(operation.calls.value == 1)
  }

  /// Its clock sleeps although the task has been cancelled.
  private struct DeafClock: Clock {
    let base = ContinuousClock()
    var now: ContinuousClock.Instant { base.now }
    var minimumResolution: Duration { base.minimumResolution }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
  }

  @Test func thereIsNoRetryAfterACancellation() async {
    for deaf in [true, false] {
      let operation = Operation(failures: .max)
      await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await #expect(throws: TestError("try 1")) {
          if deaf {
            try await retry(.max, backoff: .constant(.zero), clock: DeafClock()) { try await operation() }
          } else {
            try await retry(.max) { try await operation() }
          }
        }
      }.value
      #expect(operation.calls.value == 1)
    }
  }

  @Test func retriesWithoutLimitEndWithTheirTask() async {
    let (operation, tries) = (Operation(failures: .max), Signal())
    let task = Task {
      try await retry(.max) {
        tries.fire()
        return try await operation()
      }
    }
    await tries.wait(200)
    task.cancel()
    let result = await task.result
    #expect(throws: TestError.self) { try result.get() }
  }

  @MainActor @Test func theClosureRunsOnTheCallersActor() async throws {
    var calls = 0
    let number = try await retry(3) {
      MainActor.assertIsolated()
      calls += 1
      await Task.yield()
      if calls < 3 { throw TestError() }
      return calls
    }
    #expect(number == 3)
  }

  @Test func badArgumentsTrap() async {
    await #expect(processExitsWith: .failure) { _ = await retry(-1) { 1 } }
  }
}
