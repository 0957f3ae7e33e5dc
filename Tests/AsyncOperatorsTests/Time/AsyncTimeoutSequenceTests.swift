import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncTimeoutSequenceTests {
  private let timeline = TestTimeline()

  @Test func elementsInTimeAreDelivered() throws {
    let source = try timeline.sequence("a--b--c|")
    try timeline.expect(source.timeout(for: .seconds(4), clock: timeline.clock), toEmit: "a--b--c|")
  }

  @Test func anElementThatDoesNotComeIsAFailure() throws {
    let source = try timeline.sequence("a--b-----c|")
    try timeline.expect(
      source.timeout(for: .seconds(4), clock: timeline.clock), toEmit: "a--b---#", error: AsyncTimeoutError())
    try timeline.verifyFinished()
  }

  @Test func theConsumersOwnTimeDoesNotCount() throws {
    let source = try timeline.sequence("a-------b|")
    let elements = try timeline.run { [timeline] in
      var iterator = source.timeout(for: .seconds(3), clock: timeline.clock).makeAsyncIterator()
      var elements: [String] = []
      while let element = try await iterator.next() {
        elements.append(element)
        try await timeline.clock.sleep(for: .seconds(6))
      }
      return elements
    }
    #expect(elements == ["a", "b"])
  }

  /// A clock whose sleep ends when the test says so.
  private final class CalledClock: Clock {
    private let time = Shared(VirtualTime.zero)
    private let (calls, call) = AsyncStream.makeStream(of: Void.self)

    var now: VirtualTime { time.value }
    var minimumResolution: VirtualTime.Duration { .zero }

    func sleep(until deadline: VirtualTime, tolerance: VirtualTime.Duration?) async throws {
      for await _ in calls { return }
    }

    func wake(at instant: VirtualTime) {
      time.value = instant
      call.yield()
    }
  }

  /// The tasks run on one thread in the order in which they are resumed: the clock's, the base's, the consumer's.
  @Test(arguments: [true, false]) func whatHasArrivedBehindTheEndOfTheTimeCounts(isElement: Bool) throws {
    let results = try timeline.run {
      let clock = CalledClock()
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      async let consumed = {
        var iterator = stream.timeout(for: .seconds(4), clock: clock).makeAsyncIterator()
        return [try await iterator.next(), try await iterator.next()]
      }()
      // Until all of them wait.
      for _ in 0..<20 { await Task.yield() }
      clock.wake(at: .zero.advanced(by: .seconds(5)))
      if isElement { continuation.yield(1) }
      continuation.finish()
      return try await consumed
    }
    #expect(results == [isElement ? 1 : nil, nil])
  }

  /// The first one has seen the end of the time that both of them had set.
  @Test func aCopySetsTheTimerAgain() throws {
    let isLate = try timeline.run {
      let clock = CalledClock()
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      async let consumed = {
        var first = stream.timeout(for: .seconds(4), clock: clock).makeAsyncIterator()
        _ = try await first.next()
        var second = first
        _ = try await first.next()
        do {
          _ = try await second.next()
          return false
        } catch {
          return true
        }
      }()
      for seconds in [0, 5, 10] {
        for _ in 0..<20 { await Task.yield() }
        if seconds > 0 { clock.wake(at: .zero.advanced(by: .seconds(seconds))) }
        if seconds < 10 { continuation.yield(seconds) }
      }
      for _ in 0..<20 { await Task.yield() }
      continuation.finish()
      return try await consumed
    }
    #expect(isLate)
  }

  @Test func aTimeThatNeverEndsIsNoError() async {
    for time in [Duration(attoseconds: .max), .seconds(Int64.max)] {
      #expect(await collect(ready([1, 2]).timeout(for: time)).values == [1, 2])
      #expect(await collect(ready([1, 2]).debounce(for: time)).values == [2])
    }
  }

  @Test func theBasesFailureIsDelivered() throws {
    let source = try timeline.sequence("a-#", error: TestError("a"))
    let custom = source.timeout(for: .seconds(3), clock: timeline.clock) { TestError("late") }
    try timeline.expect(custom, toEmit: "a-#", error: TestError("a"))
  }

  @Test func theFailureMayBeOfTheBasesType() throws {
    let source = try timeline.sequence("a-----#", error: TestError("a"))
    let custom = source.timeout(for: .seconds(3), clock: timeline.clock) { TestError("late") }
    try timeline.expect(custom, toEmit: "a--#", error: TestError("late"))
  }

  @Test func failuresAreTyped() async {
    let failing = ready([1], failure: TestError("a"))
    #expect(fails(ready([1]).timeout(for: .seconds(1), clock: .continuous), with: AsyncTimeoutError.self))
    #expect(fails(failing.timeout(for: .seconds(1), clock: .continuous), with: (any Error).self))
    #expect(
      await collect(failing.timeout(for: .seconds(1_000), clock: .continuous)).error as? TestError == TestError("a"))
  }

  @Test func theContinuousClockIsTheDefault() async throws {
    let failing = ready([1], failure: TestError("a"))
    let never: AsyncTimeoutSequence<ReadySource<Int, Never>, ContinuousClock, AsyncTimeoutError> =
      ready([1]).timeout(for: .seconds(1_000))
    #expect(await collect(never).values == [1])
    #expect(fails(failing.timeout(for: .seconds(1)), with: (any Error).self))
    let custom = failing.timeout(for: .seconds(1_000)) { TestError("late") }
    #expect(fails(custom, with: TestError.self))
    #expect(await collect(custom).error == TestError("a"))
    await #expect(throws: AsyncTimeoutError.self) {
      for try await _ in ManualSource<Int, Never>().timeout(for: .zero) {}
    }
  }

  @Test func nothingIsTakenAhead() async throws {
    let source = naturals()
    var iterator = source.timeout(for: .seconds(1_000), clock: .continuous).makeAsyncIterator()
    for taken in 1...100 {
      #expect(try await iterator.next() == taken - 1)
      #expect(source.taken.value == taken)
    }
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(1) { $0[0].timeout(for: .seconds(1_000), clock: .continuous) { TestError("late") } }
  }

  @Test func theBaseIsReleasedAfterATimeout() async {
    let source = Source()
    var iterator = source.timeout(for: .zero, clock: .continuous).makeAsyncIterator()
    await #expect(throws: AsyncTimeoutError.self) { try await iterator.next() }
    await source.cancelled.wait()
    await source.released.wait()
    let after = try? await iterator.next()
    #expect(after == nil)
  }
}
