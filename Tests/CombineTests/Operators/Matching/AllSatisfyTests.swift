import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AllSatisfyTests {
  @Test func refusedValueDeliversFalseAndCancelsUpstream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.allSatisfy { $0 < 2 } }
    #expect(source.send(1) == .none)
    #expect(recorder.log.isEmpty)
    #expect(source.send(2) == .none)
    #expect(recorder.log == ["false", "finished"])
    #expect(source.cancellations.count == 1)
  }

  @Test func endWithoutRefusalDeliversTrue() {
    let numbers = [2, 4].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    #expect(numbers.allSatisfy { $0 > 1 }.recorded().log == ["true", "finished"])
    #expect(numbers.tryAllSatisfy { $0 > 1 }.recorded().log == ["true", "finished"])
    #expect(numbers.tryAllSatisfy { $0 > 2 }.recorded().log == ["false", "finished"])
    #expect(Empty<Int, Never>().allSatisfy { _ in false }.recorded().log == ["true", "finished"])
  }

  @Test func failureBeforeTheRefusalPasses() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.allSatisfy { _ in true } }
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
  }

  @Test func errorThrownCancelsUpstream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.tryAllSatisfy { _ in throw TestError("thrown") } }
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.log == ["thrown"])
    #expect(source.cancellations.count == 1)
  }

  @Test func refusalInsideARefusalDecidesOnce() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded {
      $0.allSatisfy { [unowned source] in
        if $0 == 1 { source.send(2) }
        return false
      }
    }
    source.send(1)
    #expect(recorder.log == ["false", "finished"])
    #expect(source.cancellations.count == 1)
  }

  @Test func keepsTheRules() {
    expectOperatorRules("AllSatisfy") { upstream, token in
      upstream.allSatisfy {
        token.touch()
        return $0 < 3
      }
    }
    expectOperatorRules("TryAllSatisfy") { upstream, token in
      upstream.tryAllSatisfy {
        token.touch()
        return $0 < 4
      }
    }
  }
}
