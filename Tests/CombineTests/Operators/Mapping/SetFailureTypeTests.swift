import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct SetFailureTypeTests {
  @Test func everythingPasses() {
    let source = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2), demandForEach: { .max($0) })
    source.setFailureType(to: TestError.self).subscribe(recorder)
    #expect(recorder.subscriptionNames == ["TestSubscription"])
    #expect(source.requests == [.max(2)])
    #expect(source.send(1) == .max(1))
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
    recorder.cancel()
    #expect(source.cancellations.count == 1)
  }

  @Test func secondTypeTakesThePlaceOfTheFirst() {
    struct OtherError: Error {}
    let source = TestPublisher<Int, Never>(keepsSubscribers: true)
    let publisher: Publishers.SetFailureType<TestPublisher<Int, Never>, OtherError> =
      source.setFailureType(to: TestError.self).setFailureType(to: OtherError.self)
    #expect(publisher.upstream === source)
  }

  @Test func equatableWhereThePublisherIs() {
    typealias Renamed = Publishers.SetFailureType<Just<Int>, TestError>
    #expect(Renamed(upstream: Just(1)) == Renamed(upstream: Just(1)))
    #expect(Renamed(upstream: Just(1)) != Renamed(upstream: Just(2)))
  }
}
