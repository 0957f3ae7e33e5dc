import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ContainsTests {
  @Test func valueFoundDeliversTrueAndCancelsUpstream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.contains(2) }
    #expect(source.send(1) == .none)
    #expect(recorder.log.isEmpty)
    #expect(source.send(2) == .none)
    #expect(recorder.log == ["true", "finished"])
    #expect(source.cancellations.count == 1)
    source.send(2)
    source.send(completion: .finished)
    #expect(recorder.log == ["true", "finished"])
  }

  @Test func endWithoutTheValueDeliversFalse() {
    let numbers = [1, 3].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    #expect(numbers.contains(2).recorded().log == ["false", "finished"])
    #expect(numbers.contains { $0 == 2 }.recorded().log == ["false", "finished"])
    #expect(numbers.tryContains { $0 == 2 }.recorded().log == ["false", "finished"])
    #expect(Empty<Int, Never>().contains(2).recorded().log == ["false", "finished"])
  }

  @Test func closureFindsTheValue() {
    let numbers = [1, 3].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    #expect(numbers.contains { $0 > 2 }.recorded().log == ["true", "finished"])
    #expect(numbers.tryContains { $0 > 2 }.recorded().log == ["true", "finished"])
  }

  @Test func failureBeforeTheValuePasses() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.contains(2) }
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
    #expect(source.cancellations.isEmpty)
  }

  @Test func errorThrownCancelsUpstream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.tryContains { _ in throw TestError("thrown") } }
    source.send(1)
    #expect(recorder.log == ["thrown"])
    #expect(source.cancellations.count == 1)
  }

  @Test func earlyResultWaitsForDemand() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.contains(2) }
    #expect(source.requests == [.unlimited])
    source.send(2)
    #expect(source.cancellations.count == 1)
    #expect(recorder.log.isEmpty)
    recorder.request(.max(1))
    #expect(recorder.log == ["true", "finished"])
  }

  @Test func upstreamIsCancelledBeforeTheResult() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.contains(1) }
    var cancellationsAtValue = 0
    recorder.onValue = { _ in cancellationsAtValue = source.cancellations.count }
    source.send(1)
    #expect(cancellationsAtValue == 1)
  }

  @Test func equalUpstreamsAndValuesMakeEqualPublishers() {
    #expect(Publishers.Contains(upstream: Just(1), output: 2) == Publishers.Contains(upstream: Just(1), output: 2))
    #expect(Publishers.Contains(upstream: Just(1), output: 2) != Publishers.Contains(upstream: Just(1), output: 3))
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Contains") { upstream, _ in upstream.contains(3) }
    expectOperatorRules("ContainsWhere") { upstream, token in
      upstream.contains {
        token.touch()
        return $0 == 2
      }
    }
    expectOperatorRules("TryContainsWhere") { upstream, token in
      upstream.tryContains {
        token.touch()
        return $0 == 4
      }
    }
  }
}
