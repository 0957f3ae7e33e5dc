import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

/// A scheduler's type of time is the program's own code, which may call the operator from another thread.
@Suite struct SchedulerTimeLockTests {
  /// Virtual time that calls the test when it is advanced, and when it is released.
  private final class Watch: @unchecked Sendable {  // The test's thread sets `onUse`, before anything is scheduled.
    var onUse: () -> Void = {}
    let isInside = Shared(false)

    func use() {
      guard !isInside.value else { return }
      isInside.value = true
      onUse()
      isInside.value = false
    }
  }

  private struct Time: Strideable {
    let time: VirtualTime
    let watch: Watch
    let release: ReportsRelease

    init(_ time: VirtualTime, _ watch: Watch) {
      self.time = time
      self.watch = watch
      release = ReportsRelease(0) { watch.use() }
    }

    func distance(to other: Time) -> VirtualTime.Stride { time.distance(to: other.time) }

    func advanced(by stride: VirtualTime.Stride) -> Time {
      watch.use()
      return Time(time.advanced(by: stride), watch)
    }
  }

  private struct WatchedScheduler: Scheduler {
    let scheduler = VirtualScheduler()
    let watch = Watch()

    var now: Time { Time(scheduler.now, watch) }
    var minimumTolerance: VirtualTime.Stride { scheduler.minimumTolerance }

    func schedule(options: String?, _ action: @escaping () -> Void) { scheduler.schedule(options: options, action) }

    func schedule(
      after date: Time, tolerance: VirtualTime.Stride, options: String?, _ action: @escaping () -> Void
    ) {
      scheduler.schedule(after: date.time, tolerance: tolerance, options: options, action)
    }

    func schedule(
      after date: Time, interval: VirtualTime.Stride, tolerance: VirtualTime.Stride, options: String?,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      scheduler.schedule(
        after: date.time, interval: interval, tolerance: tolerance, options: options, action)
    }
  }

  @Test func throttleUsesTimesWithoutALock() {
    let scheduler = WatchedScheduler()
    let (subject, recorder) = (PassthroughSubject<Int, Never>(), RecordingSubscriber<Int, Never>(initialDemand: .none))
    subject.throttle(for: 10, scheduler: scheduler, latest: true).subscribe(recorder)
    let uses = Shared(0)
    scheduler.watch.onUse = {
      uses.update { $0 += 1 }
      // The mirror reads what the lock guards.
      onOtherThread { if let subscription = recorder.subscription { _ = Mirror(reflecting: subscription) } }
    }
    subject.send(1)
    scheduler.scheduler.advance(by: 20)
    // The delivery of what has been requested is scheduled, and so is that of another value, which is postponed.
    recorder.request(.max(2))
    subject.send(2)
    scheduler.scheduler.advance(by: 10)
    #expect(recorder.values == [1, 2])
    subject.send(3)
    scheduler.scheduler.advance(by: 10)
    #expect(uses.value > 3)
    recorder.cancel()
  }
}
