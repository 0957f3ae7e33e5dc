import Combine
import Dispatch
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MeasureIntervalTests {
  typealias Source = TestPublisher<Int, TestError>

  private let scheduler = VirtualScheduler()

  @Test func timeBetweenValuesIsDelivered() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.measureInterval(using: scheduler, options: "unused") }
    #expect(recorder.subscriptionNames == ["MeasureInterval"])
    scheduler.advance(by: 3)
    source.send(1)
    source.send(2)
    scheduler.advance(by: .nanoseconds(7))
    source.send(3)
    source.send(completion: .finished)
    #expect(recorder.values == [3, 0, .nanoseconds(7)])
    #expect(recorder.isFinished)
    #expect(scheduler.options.isEmpty)
  }

  @Test func timeRunsFromTheSubscription() {
    let source = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let recorder = source.recorded { $0.measureInterval(using: scheduler) }
    scheduler.advance(by: 5)
    source.subscription?.sendSubscription()
    scheduler.advance(by: 1)
    source.send(1)
    #expect(recorder.values == [1])
  }

  @Test func valueSentFromInsideAValueIsMeasuredFromIt() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.recorded { $0.measureInterval(using: scheduler) }
    recorder.onValue = { [unowned source, unowned recorder] _ in
      guard recorder.values.count == 1 else { return }
      scheduler.advance(by: 2)
      source.send(2)
    }
    scheduler.advance(by: 1)
    source.send(1)
    source.send(3)
    #expect(recorder.values == [1, 2, 0])
  }

  @Test func demandPassesThroughAndReturnedDemandIsRequested() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<VirtualScheduler.SchedulerTimeType.Stride, TestError>(
      initialDemand: .max(2), demandForEach: { _ in .max(3) })
    source.measureInterval(using: scheduler).subscribe(recorder)
    #expect(source.requests == [.max(2)])
    #expect(source.send(1) == .none)
    #expect(source.requests == [.max(2), .max(3)])
  }

  @Test func realQueueMeasuresAtLeastWhatHasPassed() {
    let subject = PassthroughSubject<Void, Never>()
    let recorder = subject.measureInterval(using: DispatchQueue.global()).recorded()
    let start = DispatchTime.now()
    while DispatchTime.now() < start + .milliseconds(2) {}
    subject.send(())
    #expect(recorder.values.allSatisfy { $0 >= .milliseconds(2) })
    #expect(recorder.values.count == 1)
  }

  @Test func keepsTheRules() {
    expectTimedRules("MeasureInterval", passesEachValue: false) { upstream, scheduler, token in
      upstream.map {
        token.touch()
        return $0
      }.measureInterval(using: scheduler)
    }
    expectOperatorRules("MeasureInterval") { upstream, token in
      upstream.map {
        token.touch()
        return $0
      }.measureInterval(using: ImmediateScheduler.shared).map(\.magnitude)
    }
  }
}
