import AsyncOperators
import InterflowTestSupport
import Testing

@Suite struct AsyncTimerSequenceTests {
  /// A clock whose time goes on as the test says, and to the deadline whenever somebody sleeps.
  private final class LeapingClock: Clock {
    struct Instant: InstantProtocol {
      var offset: Duration

      func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
      func duration(to other: Instant) -> Duration { other.offset - offset }
      static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    struct State {
      var now = Instant(offset: .seconds(1_000))
      var sleeps: [(deadline: Duration, tolerance: Duration?)] = []
      /// How much later than due a sleeper wakes.
      var lateness = Duration.zero
    }

    let state = Shared(State())

    var now: Instant { state.value.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      state.update {
        $0.sleeps.append((deadline.offset - .seconds(1_000), tolerance))
        $0.now = max($0.now, deadline.advanced(by: $0.lateness))
      }
    }

    func advance(by duration: Duration) { state.update { $0.now = $0.now.advanced(by: duration) } }

    /// When those who slept were to wake, since the clock was made.
    var deadlines: [Duration] { state.value.sleeps.map(\.deadline) }
  }

  /// A clock whose sleepers wake only when they are cancelled, or at once, to fail.
  private struct StandingClock: Clock {
    let asleep = Signal()
    var failure: TestError?

    var now: LeapingClock.Instant { LeapingClock.Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: LeapingClock.Instant, tolerance: Duration?) async throws {
      asleep.fire()
      if let failure { throw failure }
      let cancelled = Signal()
      await withTaskCancellationHandler {
        await cancelled.wait()
      } onCancel: {
        cancelled.fire()
      }
      throw CancellationError()
    }
  }

  // MARK: Ticks

  @Test func ticksAreDueAtMultiplesOfTheInterval() async {
    let clock = LeapingClock()
    var ticks: [Duration] = []
    for await tick in AsyncTimerSequence(interval: .seconds(2), clock: clock).prefix(4) {
      ticks.append(tick.offset - .seconds(1_000))
    }
    #expect(ticks == [.seconds(2), .seconds(4), .seconds(6), .seconds(8)])
    #expect(clock.deadlines == ticks)
  }

  @Test func latenessDoesNotAddUp() async {
    let clock = LeapingClock()
    clock.state.update { $0.lateness = .milliseconds(30) }
    var ticks: [Duration] = []
    for await tick in AsyncTimerSequence(interval: .milliseconds(100), clock: clock).prefix(1_000) {
      ticks.append(tick.offset - .seconds(1_000))
      clock.advance(by: .milliseconds(60))
    }
    #expect(clock.deadlines == (1...1_000).map { .milliseconds(100 * $0) })
    #expect(ticks == (1...1_000).map { .milliseconds(100 * $0 + 30) })
  }

  @Test(arguments: [
    (1_000, 2_000), (1_001, 3_000), (1_999, 3_000), (2_000, 3_000), (2_001, 4_000), (7_500, 9_000), (0, 2_000),
  ])
  func ticksThatNobodyWaitedForAreSkipped(pause: Int, next: Int) async {
    let clock = LeapingClock()
    var iterator = AsyncTimerSequence(interval: .seconds(1), clock: clock).makeAsyncIterator()
    _ = await iterator.next()
    clock.advance(by: .milliseconds(pause))
    let tick = await iterator.next()
    #expect(tick?.offset == .seconds(1_000) + .milliseconds(next))
    _ = await iterator.next()
    #expect(clock.deadlines == [.seconds(1), .milliseconds(next), .milliseconds(next + 1_000)])
  }

  @Test func aTickThatIsDueNowComesNow() async {
    let clock = LeapingClock()
    var iterator = AsyncTimerSequence(interval: .seconds(1), clock: clock).makeAsyncIterator()
    _ = await iterator.next()
    clock.advance(by: .seconds(1))
    #expect(await iterator.next()?.offset == .seconds(1_002))
    #expect(clock.deadlines == [.seconds(1), .seconds(2)])
  }

  /// Far more than a quotient of floating-point numbers can count.
  @Test func noNumberOfMissedTicksMovesTheOthers() async {
    let clock = LeapingClock()
    let interval = Duration(secondsComponent: 0, attosecondsComponent: 3_000_000_007)
    var iterator = AsyncTimerSequence(interval: interval, clock: clock).makeAsyncIterator()
    _ = await iterator.next()
    clock.advance(by: interval * 40_000_000_000_000_003)
    clock.advance(by: Duration(secondsComponent: 0, attosecondsComponent: 1))
    _ = await iterator.next()
    #expect(clock.deadlines == [interval, interval * 40_000_000_000_000_005])
  }

  @Test func intervalsBeginWhenTheFirstTickIsAskedFor() async {
    let clock = LeapingClock()
    let timer = AsyncTimerSequence(interval: .seconds(1), clock: clock)
    clock.advance(by: .seconds(5))
    var first = timer.makeAsyncIterator()
    clock.advance(by: .milliseconds(300))
    #expect(await first.next()?.offset == .milliseconds(1_006_300))
    var second = timer.makeAsyncIterator()
    #expect(await second.next()?.offset == .milliseconds(1_007_300))
  }

  @Test func theToleranceIsTheClocksToUse() async {
    let clock = LeapingClock()
    for await _ in AsyncTimerSequence(interval: .seconds(1), tolerance: .milliseconds(5), clock: clock).prefix(1) {}
    for await _ in AsyncTimerSequence.repeating(every: .seconds(1), clock: clock).prefix(1) {}
    #expect(clock.state.value.sleeps.map(\.tolerance) == [.milliseconds(5), nil])
  }

  @Test func theMachinesClocksTick() async {
    let began = ContinuousClock.now
    var ticks: [ContinuousClock.Instant] = []
    for await tick in AsyncTimerSequence(interval: .milliseconds(2), clock: .continuous).prefix(3) {
      ticks.append(tick)
    }
    #expect(ticks == ticks.sorted() && ticks.count == 3)
    #expect(ticks.last.map { $0 >= began + .milliseconds(6) } == true)
    var count = 0
    for await _ in AsyncTimerSequence(interval: .milliseconds(1)).prefix(2) { count += 1 }
    for await _ in AsyncTimerSequence.repeating(every: .milliseconds(1)).prefix(2) { count += 1 }
    #expect(count == 4)
  }

  // MARK: The end

  @Test func cancellingTheTaskEndsWithNil() async {
    let clock = StandingClock()
    let task = Task {
      var iterator = AsyncTimerSequence(interval: .seconds(1), clock: clock).makeAsyncIterator()
      let first = await iterator.next()
      let second = await iterator.next()
      return first == nil && second == nil
    }
    await clock.asleep.wait()
    task.cancel()
    #expect(await task.value)
    #expect(clock.asleep.count == 1)
  }

  /// This clock does not look at cancellation at all.
  @Test func aCancelledTaskGetsNoTick() async {
    let proceed = Signal()
    let task = Task {
      await proceed.wait()
      var iterator = AsyncTimerSequence(interval: .seconds(1), clock: LeapingClock()).makeAsyncIterator()
      return await iterator.next()
    }
    task.cancel()
    proceed.fire()
    #expect(await task.value == nil)
  }

  @Test func aClockThatFailsEndsTheTimer() async {
    let clock = StandingClock(failure: TestError())
    var iterator = AsyncTimerSequence(interval: .seconds(1), clock: clock).makeAsyncIterator()
    #expect(await iterator.next() == nil)
    #expect(await iterator.next() == nil)
    #expect(clock.asleep.count == 1)
  }

  // MARK: Misuse

  @Test func anIntervalThatIsNotLongerThanZeroTraps() async {
    await #expect(processExitsWith: .failure) { _ = AsyncTimerSequence(interval: .zero, clock: .continuous) }
    await #expect(processExitsWith: .failure) { _ = AsyncTimerSequence.repeating(every: .seconds(-1)) }
  }
}
