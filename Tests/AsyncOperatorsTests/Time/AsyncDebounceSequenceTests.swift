import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncDebounceSequenceTests {
  private let timeline = TestTimeline()

  // MARK: Values

  @Test func elementsAreDeliveredAfterAQuietInterval() throws {
    let source = try timeline.sequence("ab---c-----|")
    try timeline.expect(source.debounce(for: .seconds(2), clock: timeline.clock), toEmit: "---b---c---|")
  }

  @Test func eachElementRestartsTheInterval() throws {
    let source = try timeline.sequence("abcdefgh---|")
    try timeline.expect(source.debounce(for: .seconds(2), clock: timeline.clock), toEmit: "---------h-|")
  }

  @Test func theEndDeliversTheLastElementAtOnce() throws {
    let source = try timeline.sequence("a--bc|")
    try timeline.expect(source.debounce(for: .seconds(2), clock: timeline.clock), toEmit: "--a--(c|)")
  }

  @Test func anEmptyBaseEndsAtOnce() throws {
    try timeline.expect(
      try timeline.sequence("-|").debounce(for: .seconds(2), clock: timeline.clock), toEmit: "-|")
  }

  @Test func aBaseThatNeverEndsKeepsItOpen() throws {
    let source = try timeline.sequence("a-")
    try timeline.expect(source.debounce(for: .seconds(2), clock: timeline.clock), toEmit: "--a-----")
    try timeline.expect(source.debounce(for: .seconds(2), clock: timeline.clock), toEmit: "--a--!")
    try timeline.verifyFinished()
  }

  @Test func elementsAvailableAreDebouncedToTheLast() async {
    #expect(await collect(ready(Array(0..<1_000)).debounce(for: .seconds(1_000))).values == [999])
  }

  /// What a consumer gets that needs five seconds for each element, and when. The interval is two seconds.
  private func elementsOfASlowConsumer(_ diagram: String) throws -> [String] {
    let source = try timeline.sequence(diagram)
    return try timeline.run { [timeline] in
      var iterator = source.debounce(for: .seconds(2), clock: timeline.clock).makeAsyncIterator()
      var events: [String] = []
      while let element = await iterator.next() {
        events.append("\(element) \(timeline.now)")
        try await timeline.clock.sleep(for: .seconds(5))
      }
      return events
    }
  }

  /// The interval of an element begins when it comes, not when the consumer does.
  @Test func anElementThatCameMeanwhileIsNotDelayedAgain() throws {
    #expect(try elementsOfASlowConsumer("a---b-----|") == ["a 2 s", "b 7 s"])
  }

  /// An element whose interval has passed is not replaced by a later one.
  @Test func anElementThatIsDueIsKept() throws {
    #expect(try elementsOfASlowConsumer("a---b--c---|") == ["a 2 s", "b 7 s", "c 12 s"])
  }

  /// Also after an element that was due when the consumer came.
  @Test func theIntervalBeginsWhileTheConsumerIsAway() throws {
    #expect(
      try elementsOfASlowConsumer("a---b----c----d----e---------|")
        == ["a 2 s", "b 7 s", "c 12 s", "d 17 s", "e 22 s"])
  }

  @Test func whatTheBaseHoldsFollowsNothingUntilItIsTaken() throws {
    #expect(try elementsOfASlowConsumer("a--bcd------|") == ["a 2 s", "b 7 s", "c 12 s", "d 17 s"])
  }

  @Test func aSlowConsumerMakesTheBaseWait() async throws {
    let source = Source()
    var iterator = source.debounce(for: .zero).makeAsyncIterator()
    source.send(1)
    #expect(try await iterator.next() == 1)
    for value in 2...9 { source.send(value) }
    await source.taken.wait(2)
    #expect(source.taken.count == 2)
    source.finish()
    var last: Int?
    while let value = try await iterator.next() { last = value }
    #expect(last == 9)
  }

  // MARK: Failure

  @Test func aFailureComesAtOnceWithoutTheElement() throws {
    let source = try timeline.sequence("a---b#", error: TestError("a"))
    try timeline.expect(
      source.debounce(for: .seconds(2), clock: timeline.clock), toEmit: "--a--#", error: TestError("a"))
  }

  /// A clock whose first sleep fails.
  private struct FailingOnceClock: Clock {
    let base: TestClock
    let hasFailed = Shared(false)

    var now: VirtualTime { base.now }
    var minimumResolution: Duration { base.minimumResolution }

    func sleep(until deadline: VirtualTime, tolerance: Duration?) async throws {
      if !hasFailed.update({ hasFailed in
        defer { hasFailed = true }
        return hasFailed
      }) {
        throw TestError("asleep")
      }
      try await base.sleep(until: deadline, tolerance: tolerance)
    }
  }

  @Test func aClockThatHasFailedOnceIsUsedAgain() throws {
    let source = try timeline.sequence("a----bc-----|")
    let clock = FailingOnceClock(base: timeline.clock)
    try timeline.expect(source.debounce(for: .seconds(2), clock: clock), toEmit: "a-------c---|")
  }

  @Test func failuresAreTyped() {
    #expect(fails(ready([1]).debounce(for: .zero), with: Never.self))
    #expect(fails(ready([1], failure: TestError("a")).debounce(for: .zero), with: TestError.self))
  }

  // MARK: Lifetime

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(1) { $0[0].debounce(for: .milliseconds(1)) }
  }

  @Test func cancellingInTheIntervalEndsIt() async throws {
    let source = Source()
    let clock = timeline.clock
    let task = Task {
      var iterator = source.debounce(for: .seconds(1), clock: clock).makeAsyncIterator()
      let first = try await iterator.next()
      let second = try await iterator.next()
      return first == nil && second == nil
    }
    source.send(1)
    await clock.waitForSleepers()
    task.cancel()
    #expect(try await task.value)
    await source.released.wait()
  }

  /// This base does not look at cancellation at all.
  @Test func cancellingReleasesAnEndlessBase() async {
    let source = naturals()
    let task = Task { await source.debounce(for: .seconds(1_000)).first { _ in true } }
    await until { source.taken.value > 1_000 }
    task.cancel()
    #expect(await task.value == nil)
    await source.released.wait()
  }
}
