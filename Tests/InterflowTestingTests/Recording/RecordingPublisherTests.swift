import InterflowTesting
import Testing

@Suite struct RecordingPublisherTests {
  @Test func whatPassesInBothDirectionsIsRecorded() {
    let timeline = TestTimeline()
    let upstream = TestPublisher<Int, TestError>(on: timeline)
    let spy = upstream.recording(on: timeline)
    let subscriber = RecordingSubscriber<Int, TestError>(
      on: timeline, initialDemand: .max(1), demandForEach: { $0 == 1 ? .max(2) : .none })
    spy.subscribe(subscriber)
    timeline.advance(by: 1)
    upstream.send(1)
    timeline.advance(by: 1)
    upstream.send(completion: .failure(TestError()))
    #expect(spy.signals == [.subscription(at: 0), .value(1, at: 1), .failure(TestError(), at: 2)])
    #expect(spy.requests == [.max(1), .max(2, at: 1)])
    #expect(spy.cancellations == [])
    #expect(subscriber.signals == spy.signals)
  }

  @Test func cancellationIsRecordedAndPassedOn() {
    let timeline = TestTimeline()
    let upstream = TestPublisher<Int, Never>(on: timeline)
    let spy = RecordingPublisher(upstream, on: timeline)
    let subscriber = RecordingSubscriber<Int, Never>()
    spy.subscribe(subscriber)
    timeline.advance(by: 3)
    subscriber.cancel()
    #expect(spy.cancellations == [3])
    #expect(upstream.subscription?.cancellations == [3])
  }

  @Test func demandOfAnOperatorIsSeen() {
    let spy = (1...10).publisher.recording()
    let cancellable = spy.first { $0 > 2 }.sink { _ in }
    #expect(spy.signals.compactMap(\.value) == [1, 2, 3])
    #expect(spy.cancellations.count == 1)
    cancellable.cancel()
  }
}
