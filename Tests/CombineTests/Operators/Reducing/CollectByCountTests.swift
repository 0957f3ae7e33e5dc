import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct CollectByCountTests {
  @Test func arraysAreFullAndTheLastHoldsTheRest() {
    let publisher = (1...5).publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    #expect(publisher.collect(2).recorded().log == ["[1, 2]", "[3, 4]", "[5]", "finished"])
    #expect(publisher.collect(5).recorded().log == ["[1, 2, 3, 4, 5]", "finished"])
    #expect(publisher.collect(1).recorded().values == [[1], [2], [3], [4], [5]])
  }

  @Test func noValuesMakeNoArray() {
    #expect(Empty<Int, Never>().collect(2).recorded().log == ["finished"])
  }

  @Test func failureDropsTheRest() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.collect(2) }
    for value in 1...3 { source.send(value) }
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["[1, 2]", "test error"])
  }

  @Test func demandIsMultiplied() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<[Int], TestError>(initialDemand: .max(2), demandForEach: { _ in .max(1) })
    source.collect(3).subscribe(recorder)
    #expect(source.requests == [.max(6)])
    #expect(source.send(1) == .none)
    #expect(source.send(2) == .none)
    #expect(source.send(3) == .max(3))
    recorder.request(.unlimited)
    #expect(source.requests == [.max(6), .max(3), .unlimited])
  }

  @Test func cancellationInsideTheLastArrayKeepsTheCompletionOut() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.collect(2) }
    recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.log == ["[1]"])
  }

  @Test func valueSentFromInsideAnArrayBelongsToTheNext() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.collect(2) }
    recorder.onValue = { [unowned source] in if $0 == [1, 2] { source.send(3) } }
    for value in [1, 2, 4] { source.send(value) }
    #expect(recorder.log == ["[1, 2]", "[3, 4]"])
  }

  @Test func countMustBePositive() async {
    await #expect(processExitsWith: .failure) { _ = Just(1).collect(-1) }
    await #expect(processExitsWith: .failure) { _ = Publishers.CollectByCount(upstream: Just(1), count: 0) }
  }

  @Test func keepsTheRules() {
    expectOperatorRules("CollectByCount") { upstream, _ in upstream.collect(2) }
  }
}
