import Combine
import InterflowTestSupport
import Testing

@Suite struct SetFailureTypeTests {
  @Test func everythingPasses() {
    let source = ManualPublisher<Int, Never>()
    let recorder = Recorder<Int, TestError>(demand: .max(2), demandForEach: { .max($0) })
    source.setFailureType(to: TestError.self).subscribe(recorder)
    #expect(recorder.subscriptions == ["ManualSubscription"])
    #expect(source.requests == [.max(2)])
    #expect(source.send(1) == .max(1))
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
    recorder.cancel()
    #expect(source.cancellations == 1)
  }

  @Test func secondTypeTakesThePlaceOfTheFirst() {
    struct OtherError: Error {}
    let source = ManualPublisher<Int, Never>()
    let publisher: Publishers.SetFailureType<ManualPublisher<Int, Never>, OtherError> =
      source.setFailureType(to: TestError.self).setFailureType(to: OtherError.self)
    #expect(publisher.upstream === source)
  }

  @Test func equatableWhereThePublisherIs() {
    typealias Renamed = Publishers.SetFailureType<Just<Int>, TestError>
    #expect(Renamed(upstream: Just(1)) == Renamed(upstream: Just(1)))
    #expect(Renamed(upstream: Just(1)) != Renamed(upstream: Just(2)))
  }
}
