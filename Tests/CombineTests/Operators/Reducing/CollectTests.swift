import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct CollectTests {
  @Test func allValuesComeInOneArray() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.collect() }
    for value in 1...3 { #expect(source.send(value) == .none) }
    #expect(recorder.log.isEmpty)
    source.send(completion: .finished)
    #expect(recorder.log == ["[1, 2, 3]", "finished"])
  }

  @Test func noValuesMakeAnEmptyArray() {
    #expect(Empty<Int, Never>().collect().recorded().log == ["[]", "finished"])
  }

  @Test func failureDropsWhatWasCollected() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.collect() }
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
  }

  @Test func arrayWaitsForDemand() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.collect() }
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.log.isEmpty)
    recorder.request(.max(1))
    #expect(recorder.log == ["[1]", "finished"])
  }

  @Test func equalUpstreamsMakeEqualPublishers() {
    #expect(Publishers.Collect(upstream: Just(1)) == Publishers.Collect(upstream: Just(1)))
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Collect") { upstream, _ in upstream.collect() }
  }
}
