import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MapTests {
  private typealias Source = TestPublisher<Int, TestError>

  @Test func eachValueIsChanged() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.map { "<\($0)>" }.recorded()
    source.send(1)
    source.send(2)
    source.send(completion: .finished)
    #expect(recorder.log == ["<1>", "<2>", "finished"])
  }

  @Test func demandFailureAndCancellationPass() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2), demandForEach: { .max($0) })
    source.map { $0 * 10 }.subscribe(recorder)
    #expect(recorder.subscriptionNames == ["TestSubscription"])
    #expect(source.requests == [.max(2)])
    #expect(source.send(1) == .max(10))
    recorder.cancel()
    #expect(source.cancellations.count == 1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["10", "test error"])
  }

  @Test func changesInARowBecomeOne() {
    let source = Source(keepsSubscribers: true)
    let twice: Publishers.Map<Source, String> = source.map { $0 + 1 }.map { "\($0)" }
    let thrown: Publishers.TryMap<Source, String> = source.map { $0 + 1 }.tryMap { "\($0)" }
    #expect(twice.upstream === source)
    #expect(twice.transform(1) == "2")
    #expect(thrown.upstream === source)
    let recorder = twice.recorded()
    source.send(1)
    #expect(recorder.log == ["2"])
  }

  @Test func nilIsReplaced() {
    let source = TestPublisher<Int?, TestError>(keepsSubscribers: true)
    let replaced: Publishers.Map<TestPublisher<Int?, TestError>, Int> = source.replaceNil(with: 7)
    let recorder = replaced.recorded(demand: .max(3))
    for value in [1, nil, 2] { source.send(value) }
    #expect(source.requests == [.max(3)])
    #expect(recorder.log == ["1", "7", "2"])
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Map", isGuarded: false) { upstream, token in
      upstream.map {
        token.touch()
        return $0
      }
    }
  }
}
