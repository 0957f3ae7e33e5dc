import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncDelaySequenceTests {
  private let timeline = TestTimeline()

  @Test func everythingComesLater() throws {
    let source = try timeline.sequence("ab-c|")
    try timeline.expect(source.delay(for: .seconds(5), clock: timeline.clock), toEmit: "-----ab-c|")
  }

  @Test func theContinuousClockIsTheDefault() async {
    let delayed: AsyncDelaySequence<ReadySource<Int, Never>, ContinuousClock> = ready([1]).delay(for: .milliseconds(1))
    #expect(await collect(delayed).values == [1])
  }

  @Test func aFailureComesLater() throws {
    let source = try timeline.sequence("a-#", error: TestError("a"))
    try timeline.expect(
      source.delay(for: .seconds(3), clock: timeline.clock), toEmit: "---a-#", error: TestError("a"))
  }

  @Test func aFullBufferMakesTheBaseWait() async throws {
    let source = Source()
    let clock = timeline.clock
    for value in 0..<9 { source.send(value) }
    let task = Task {
      var iterator = source.delay(for: .seconds(1), clock: clock, limit: 3).makeAsyncIterator()
      return try await iterator.next()
    }
    await clock.waitForSleepers()
    await source.taken.wait(3)
    #expect(source.requested.count <= 4)
    await clock.advance(by: .seconds(1))
    #expect(try await task.value == 0)
    await source.released.wait()
  }

  @Test func anElementThatIsDueComesAtOnce() throws {
    let source = try timeline.sequence("ab-----|")
    let times = try timeline.run { [timeline] in
      var iterator = source.delay(for: .seconds(2), clock: timeline.clock).makeAsyncIterator()
      var times: [VirtualTime] = []
      while await iterator.next() != nil {
        times.append(timeline.now)
        try await timeline.clock.sleep(for: .seconds(4))
      }
      return times + [timeline.now]
    }
    #expect(times == [2, 6, 10])
  }

  @Test func cancellingEndsIt() throws {
    let source = try timeline.sequence("a-b-")
    try timeline.expect(source.delay(for: .seconds(3), clock: timeline.clock), toEmit: "---a!")
    try timeline.verifyFinished()
  }

  /// A clock whose sleep ignores cancellation, and ends when the test says so.
  private struct DeafClock: Clock {
    let asleep = Signal()
    let proceed = Signal()

    var now: VirtualTime { .zero }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: VirtualTime, tolerance: Duration?) async {
      asleep.fire()
      await proceed.wait()
    }
  }

  @Test(arguments: [0, 64]) func cancellingDoesNotWaitForTheClock(limit: Int) async throws {
    let (source, clock) = (Source(), DeafClock())
    let task = Task { try await source.delay(for: .seconds(1), clock: clock, limit: limit).first { _ in true } }
    source.send(1)
    await clock.asleep.wait()
    task.cancel()
    await source.released.wait()
    clock.proceed.fire()
    #expect(try await task.value == nil)
  }

  @Test func failuresAreTyped() {
    #expect(fails(ready([1]).delay(for: .zero, clock: .continuous), with: Never.self))
    #expect(fails(ready([1], failure: TestError("a")).delay(for: .zero, clock: .continuous), with: TestError.self))
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(1) { $0[0].delay(for: .microseconds(1), clock: .continuous) }
    await expectConcurrentRules(1) { $0[0].delay(for: .microseconds(1), clock: .continuous, limit: 0) }
  }
}
