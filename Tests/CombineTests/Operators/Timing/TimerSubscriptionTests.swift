@testable import Combine
import InterflowTestSupport
import Testing

@Suite struct TimerSubscriptionTests {
  @Test func noTimerIsSetAfterTheEnd() {
    let scheduler = VirtualScheduler()
    let source = ManualPublisher<Int, TestError>()
    let recorder = Recorder<Int, TestError>()
    let stage = TimeoutSubscription(recorder, interval: 2, scheduler, nil, customError: nil)
    source.subscribe(stage)
    #expect(scheduler.scheduled == 1)
    stage.cancel()
    #expect(scheduler.scheduled == 0)
    // As for a value that was taken in before the cancellation, which came on another thread.
    stage.restartTimer()
    #expect(scheduler.scheduled == 0)
  }
}
