import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct IntervalTests {
  private let timeline = TestTimeline()

  @Test func numbersAreDeliveredAtTheirTimes() {
    let recorder = Publishers.Interval(every: .seconds(2), on: timeline.scheduler).recorded()
    timeline.advance(by: .seconds(1))
    #expect(recorder.values.isEmpty)
    timeline.advance(by: .seconds(3))
    #expect(recorder.values == [0, 1])
  }

  @Test func numberWithoutDemandIsDropped() {
    let recorder = Publishers.Interval(every: .seconds(1), on: timeline.scheduler).recorded(demand: .max(1))
    timeline.advance(by: .seconds(3))
    recorder.request(.max(1))
    timeline.advance(by: .seconds(1))
    #expect(recorder.values == [0, 3])
  }

  @Test func cancellationEndsTheTimerAndReleasesTheSubscriber() {
    let counter = LifetimeCounter()
    let subscription = Publishers.Interval(every: .seconds(1), on: timeline.scheduler)
      .subscription(holding: counter.make())
    timeline.advance(by: .seconds(1))
    #expect(timeline.pending.count == 1)
    subscription?.cancel()
    #expect(timeline.pending.isEmpty)
    #expect(counter.count == 0)
  }

  @Test func timeThatPassesInsideADeliveryBringsTheNextNumber() {
    let recorder = RecordingSubscriber<Int, Never>()
    recorder.onValue = { [timeline] in if $0 == 0 { timeline.advance(by: .seconds(1)) } }
    Publishers.Interval(every: .seconds(1), on: timeline.scheduler).subscribe(recorder)
    timeline.advance(by: .seconds(3))
    #expect(recorder.values == [0, 1, 2])
  }
}
