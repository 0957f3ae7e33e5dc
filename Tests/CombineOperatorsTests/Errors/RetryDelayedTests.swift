import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct RetryDelayedTests {
  private let timeline = TestTimeline()

  private final class Tries {
    var times: [VirtualTime.Stride] = []
  }

  private let tries = Tries()

  /// Fails always, and records when it is subscribed to.
  private var failing: some Publisher<Int, TestError> {
    let start = timeline.now
    return Deferred { [tries, timeline] in
      tries.times.append(start.distance(to: timeline.now))
      return Fail<Int, TestError>(error: TestError("try \(tries.times.count)"))
    }
  }

  @Test func waitsBeforeEachRetryAndFailsWithTheLastFailure() {
    let recorder = failing.retry(2, delay: .seconds(3), on: timeline.scheduler).recorded()
    timeline.advance(by: .seconds(100))
    #expect(tries.times == [0, .seconds(3), .seconds(6)])
    #expect(recorder.log == ["try 3"])
  }

  @Test func delayGrowsToItsLimit() {
    let linear = failing.retry(4, delay: .seconds(1), backoff: .linear(upTo: .seconds(3)), on: timeline.scheduler)
    let first = linear.recorded()
    timeline.advance(by: .seconds(100))
    #expect(tries.times == [0, .seconds(1), .seconds(3), .seconds(6), .seconds(9)])
    tries.times = []
    let exponential = failing.retry(
      4, delay: .seconds(1), backoff: .exponential(upTo: .seconds(5)), on: timeline.scheduler)
    let second = exponential.recorded()
    timeline.advance(by: .seconds(100))
    #expect(tries.times == [0, .seconds(1), .seconds(3), .seconds(7), .seconds(12)])
    #expect([first, second].map(\.log.count) == [1, 1])
  }

  @Test func delayWithoutALimitDoesNotOverflow() {
    typealias Stride = ImmediateScheduler.SchedulerTimeType.Stride
    for backoff in [SchedulerBackoff<Stride>.exponential(upTo: .init(.max)), .linear(upTo: .init(.max))] {
      tries.times = []
      let recorder = failing.retry(100, delay: .init(.max / 4), backoff: backoff, on: ImmediateScheduler.shared)
        .recorded()
      #expect(tries.times.count == 101)
      #expect(recorder.log == ["try 101"])
    }
  }

  @Test func jitterOnlyShortensTheDelay() {
    let recorder = failing.retry(20, delay: .seconds(4), jitter: 0.5, on: timeline.scheduler).recorded()
    timeline.advance(by: .seconds(1_000))
    let waits = Swift.zip(tries.times, tries.times.dropFirst()).map { $1 - $0 }
    #expect(waits.count == 20)
    #expect(waits.allSatisfy { $0 >= .seconds(2) && $0 <= .seconds(4) })
    #expect(Set(waits).count > 1)
    #expect(recorder.completions == 1)
  }

  @Test func failureThatIsNotWorthARetryIsDelivered() {
    let recorder = failing.retry(
      .max, delay: .seconds(1), on: timeline.scheduler, when: { $0 != TestError("try 2") }
    ).recorded()
    timeline.advance(by: .seconds(100))
    #expect(recorder.log == ["try 2"])
  }

  @Test func cancellationEndsTheWait() {
    let counter = LifetimeCounter()
    let recorder = RecordingSubscriber<Int, TestError>()
    do {
      let token = counter.make()
      failing.retry(5, delay: .seconds(1), on: timeline.scheduler) { _ in withExtendedLifetime(token) { true } }
        .receive(subscriber: recorder)
    }
    #expect(counter.count == 1)
    recorder.cancel()
    // Nothing that decides about a retry is left, though the scheduler still has work that does nothing.
    #expect(counter.count == 0)
    timeline.advance(by: .seconds(100))
    #expect(tries.times == [0])
    #expect(recorder.log.isEmpty)
  }
}
