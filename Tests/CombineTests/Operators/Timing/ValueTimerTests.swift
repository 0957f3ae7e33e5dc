import InterflowTestSupport
import InterflowTesting
import Testing

@testable import Combine

@Suite struct ValueTimerTests {
  private let scheduler = VirtualScheduler()
  private let counter = LifetimeCounter()
  private let log = Shared<[Int]>([])

  private func makeTimer(_ interval: VirtualScheduler.SchedulerTimeType.Stride) -> ValueTimer<Tracked, VirtualScheduler>
  {
    ValueTimer(interval, scheduler, nil)
  }

  private func set(_ number: Int, _ timer: ValueTimer<Tracked, VirtualScheduler>) {
    timer.set(Tracked(number, counter)) { [log] in
      log.value.append($0.number)
      return nil
    } then: {
    }
  }

  @Test func theValueComesWhenItsTimeHasPassed() {
    let timer = makeTimer(2)
    set(1, timer)
    scheduler.advance(by: 1)
    #expect(log.value == [])
    scheduler.advance(by: 1)
    #expect(log.value == [1])
    scheduler.advance(by: 10)
    #expect(log.value == [1], "a value comes once")
    #expect(scheduler.scheduled == 0)
    #expect(counter.count == 0)
  }

  @Test func anotherValueReplacesItAndStartsTheTimeAgain() {
    let timer = makeTimer(2)
    set(1, timer)
    scheduler.advance(by: 1)
    set(2, timer)
    #expect(counter.count == 1, "the replaced value is released")
    #expect(scheduler.scheduled == 1, "its timer is cancelled")
    scheduler.advance(by: 1)
    #expect(log.value == [])
    scheduler.advance(by: 1)
    #expect(log.value == [2])
    set(3, timer)
    scheduler.advance(by: 2)
    #expect(log.value == [2, 3])
  }

  @Test func cancellationReleasesTheValueAndTheTimer() {
    let timer = makeTimer(2)
    set(1, timer)
    timer.cancel()
    #expect(counter.count == 0)
    #expect(scheduler.scheduled == 0)
    scheduler.advance(by: 10)
    #expect(log.value == [])
  }

  @Test func noTimerIsSetAfterACancellation() {
    let timer = makeTimer(2)
    timer.cancel()
    set(1, timer)
    #expect(scheduler.scheduled == 0)
    #expect(counter.count == 0)
  }

  @Test func aTimeOfZeroNeedsNoRepetition() {
    let timer = makeTimer(0)
    set(1, timer)
    set(2, timer)
    #expect(log.value == [])
    scheduler.advance()
    #expect(log.value == [2])
    #expect(scheduler.scheduled == 0)
  }

  @Test func aTimeoutSetsNoTimerAfterItsEnd() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let stage = TimeoutSubscription(
      RecordingSubscriber<Int, TestError>(), interval: 2, scheduler, nil, customError: nil)
    source.subscribe(stage)
    #expect(scheduler.scheduled == 1)
    stage.cancel()
    #expect(scheduler.scheduled == 0)
    // As for a value that was accepted before the cancellation, which another thread made.
    stage.restartTimer()
    #expect(scheduler.scheduled == 0)
  }
}
