import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct TryMapTests {
  private typealias Source = TestPublisher<Int, TestError>

  @Test func errorCancelsUpstreamBeforeItIsDelivered() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.tryMap { value -> Int in
      if value == 2 { throw TestError("thrown") }
      return value * 10
    }
    .recorded()
    recorder.onCompletion = { _ in #expect(source.cancellations.count == 1) }
    #expect(source.send(1) == .none)
    #expect(source.send(2) == .none)
    source.send(3)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["10", "thrown"])
    #expect(source.cancellations.count == 1)
  }

  @Test func errorNeedsNoDemandOfItsOwn() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.tryMap { _ -> Int in throw TestError("thrown") }.recorded(demand: .max(1))
    source.send(1)
    #expect(recorder.log == ["thrown"])
  }

  @Test func demandAndCompletionPass() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, any Error>(initialDemand: .max(2), demandForEach: { .max($0) })
    source.tryMap { $0 }.subscribe(recorder)
    #expect(source.requests == [.max(2)])
    #expect(source.send(3) == .max(3))
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["3", "test error"])
  }

  @Test func changesInARowBecomeOne() {
    let source = Source(keepsSubscribers: true)
    let mapped: Publishers.TryMap<Source, String> = source.tryMap { $0 + 1 }.map { "\($0)" }
    let thrown: Publishers.TryMap<Source, String> = source.tryMap { value -> Int in
      if value == 2 { throw TestError("first") }
      return value
    }
    .tryMap { value in
      if value == 3 { throw TestError("second") }
      return "\(value)"
    }
    #expect(mapped.upstream === source)
    #expect(thrown.upstream === source)
    #expect([1].publisher.tryMap { $0 + 1 }.map { "\($0)" }.recorded().log == ["2", "finished"])
    for (value, error) in [(2, "first"), (3, "second")] {
      let recorder = thrown.recorded()
      source.send(1)
      source.send(value)
      #expect(recorder.log == ["1", error])
    }
  }

  @Test func keepsTheRules() {
    expectOperatorRules("TryMap", earlyValue: .passes) { upstream, token in
      upstream.tryMap {
        token.touch()
        return $0
      }
    }
  }
}
