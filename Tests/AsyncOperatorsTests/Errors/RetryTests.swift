import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct RetryTests {
  func source(_ elements: [Int], log: ProbeLog = ProbeLog()) -> Probe<Int, TestError> {
    Probe(elements: elements, failure: TestError("base"), log: log)
  }

  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { $0.retry(0) }
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { $0.retryWhen { _, _ in false } }
    try await expectEndWhenCancelled(Endless<Int>().setFailureType(to: TestError.self).retry(3))
  }

  @Test func itBeginsAgainAsOftenAsAllowed() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a-#", error: TestError())
    try timeline.expect(source.retry(2), toEmit: "a-a-a-#", error: TestError())
  }

  @Test func aTryThatSucceedsIsTheLast() async throws {
    let tries = Shared(0)
    let base = AsyncDeferredTries {
      tries.update {
        $0 += 1; return $0
      }
    }
    #expect(try await elements(of: base.retry(5)) == [1, 2, 3])
    #expect(tries.value == 3)
  }

  /// Its first two iterators fail after an element, which is the number of the try; the third ends after it.
  struct AsyncDeferredTries: AsyncSequence, Sendable {
    let begin: @Sendable () -> Int

    struct Iterator: AsyncIteratorProtocol {
      let number: Int
      var isBegun = false

      mutating func next() async throws(TestError) -> Int? { try await next(isolation: nil) }

      mutating func next(isolation actor: isolated (any Actor)?) async throws(TestError) -> Int? {
        defer { isBegun = true }
        if !isBegun { return number }
        if number < 3 { throw TestError("try \(number)") }
        return nil
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(number: begin()) }
  }

  @Test func theBackoffIsWaitedFor() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a#", error: TestError())
    let backoff = RetryBackoff.exponential(from: Duration.seconds(1), upTo: .seconds(3))
    try timeline.expect(
      source.retry(3, backoff: backoff, clock: timeline.clock), toEmit: "a-a--a---a#", error: TestError())
  }

  @Test func cancellingTheWaitEndsIt() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a#", error: TestError())
    try timeline.expect(
      source.retry(3, backoff: .constant(.seconds(5)), clock: timeline.clock), toEmit: "a--!", error: TestError())
    #expect(timeline.pending.isEmpty)
  }

  @Test func aFailureOfACancelledTaskIsNotRetried() async {
    let log = ProbeLog()
    let base = source([], log: log)
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let outcome = await collect(base.retry(.max))
      #expect(outcome.values.isEmpty && outcome.error == nil)
    }.value
    #expect(log.pulls == 1)
  }

  @Test func theClosureDecides() async {
    let calls = Shared<[Int]>([])
    let base = source([1])
    let outcome = await collect(
      base.retryWhen { failure, number in
        #expect(failure == TestError("base"))
        calls.update { $0.append(number) }
        await Task.yield()
        return number < 3
      })
    #expect(outcome.values == [1, 1, 1])
    #expect(outcome.error == TestError("base"))
    #expect(calls.value == [1, 2, 3])
  }

  @Test func eachIteratorHasItsOwnRetries() async {
    let base = source([1]).retry(1)
    for _ in 0..<2 { #expect(await collect(base).values == [1, 1]) }
  }

  @Test func retriesWithoutLimitEndWithTheirTask() async {
    let tries = Signal()
    let base = source([]).retryWhen { _, _ in
      tries.fire()
      return true
    }
    let task = Task { await collect(base).error }
    await tries.wait(200)
    task.cancel()
    #expect(await task.value == nil)
  }

  @Test func backoffs() {
    func delays(_ backoff: RetryBackoff<Duration>) -> [Int64] {
      (1...6).map { backoff.delay(beforeRetry: $0).components.seconds }
    }
    #expect(delays(.constant(.seconds(2))) == [2, 2, 2, 2, 2, 2])
    #expect(delays(.linear(by: .seconds(2), upTo: .seconds(7))) == [2, 4, 6, 7, 7, 7])
    #expect(delays(.exponential(from: .seconds(1), upTo: .seconds(10))) == [1, 2, 4, 8, 10, 10])
    #expect(delays(.exponential(from: .seconds(1), factor: 3, upTo: .seconds(10))) == [1, 3, 9, 10, 10, 10])
    #expect(delays(.exponential(from: .zero, upTo: .seconds(10))) == [0, 0, 0, 0, 0, 0])
    #expect(delays(RetryBackoff { .seconds($0 * $0) }) == [1, 4, 9, 16, 25, 36])
    // Far retries and large factors neither overflow nor take long.
    #expect(
      RetryBackoff.exponential(from: Duration.seconds(59), factor: .max, upTo: .seconds(60)).delay(beforeRetry: 2)
        == .seconds(60))
    #expect(
      RetryBackoff.linear(by: Duration.nanoseconds(1), upTo: .seconds(3_600)).delay(beforeRetry: .max)
        == .seconds(3_600))
    #expect(
      RetryBackoff.exponential(from: Duration.seconds(1), upTo: .seconds(60)).delay(beforeRetry: .max) == .seconds(60))
    #expect(RetryBackoff.linear(by: Duration.seconds(1), upTo: .seconds(60)).delay(beforeRetry: .max) == .seconds(60))
  }

  @Test func jitterShortensByARandomPart() {
    let whole = RetryBackoff.constant(Duration.seconds(1_024))
    let some = (0..<200).map { whole.jittered(0.25).delay(beforeRetry: $0 + 1) }
    #expect(some.allSatisfy { (.seconds(768)...(.seconds(1_024))).contains($0) })
    #expect(Set(some).count > 50)
    #expect(whole.jittered(0).delay(beforeRetry: 1) == .seconds(1_024))
    let all = (0..<200).map { whole.jittered().delay(beforeRetry: $0 + 1) }
    #expect(all.allSatisfy { (.zero...(.seconds(1_024))).contains($0) })
    #expect(all.contains { $0 < .seconds(512) })
  }

  /// A duration in whole numbers, of which a part may be none at all.
  private struct Ticks: DurationProtocol {
    var count: Int

    static var zero: Ticks { Ticks(count: 0) }
    static func + (a: Ticks, b: Ticks) -> Ticks { Ticks(count: a.count + b.count) }
    static func - (a: Ticks, b: Ticks) -> Ticks { Ticks(count: a.count - b.count) }
    static func * (a: Ticks, factor: Int) -> Ticks { Ticks(count: a.count * factor) }
    static func / (a: Ticks, divisor: Int) -> Ticks { Ticks(count: a.count / divisor) }
    static func / (a: Ticks, b: Ticks) -> Double { Double(a.count) / Double(b.count) }
    static func < (a: Ticks, b: Ticks) -> Bool { a.count < b.count }
  }

  @Test(arguments: [10, 1_500, .max]) func jitterShortensAFewUnits(count: Int) {
    let backoff = RetryBackoff.constant(Ticks(count: count)).jittered()
    let delays = (0..<200).map { backoff.delay(beforeRetry: $0 + 1).count }
    #expect(delays.allSatisfy { (0...count).contains($0) })
    #expect(delays.contains { $0 < count / 4 })
  }

  @Test func badArgumentsTrap() async {
    await #expect(processExitsWith: .failure) { _ = [1].async.retry(-1) }
    await #expect(processExitsWith: .failure) { _ = RetryBackoff.constant(Duration.zero).jittered(2) }
    await #expect(processExitsWith: .failure) {
      _ = RetryBackoff.exponential(from: Duration.zero, factor: 0, upTo: .seconds(1))
    }
  }

  @Test func types() {
    let retried = source([]).retry(1, backoff: .constant(.seconds(1)))
    let _: any AsyncSequence<Int, TestError> = retried
    expectSendable(retried)
  }
}
