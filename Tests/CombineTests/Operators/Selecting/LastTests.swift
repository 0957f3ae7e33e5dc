import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct LastTests {
  private let numbers = [1, 2, 3].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()

  @Test func lastValueIsDelivered() {
    #expect(numbers.last().recorded().log == ["3", "finished"])
    #expect(numbers.last { $0 < 3 }.recorded().log == ["2", "finished"])
    #expect(numbers.tryLast { $0 < 3 }.recorded().log == ["2", "finished"])
  }

  @Test func endWithoutAValueJustFinishes() {
    #expect(Empty<Int, Never>().last().recorded().log == ["finished"])
    #expect(numbers.last { $0 > 3 }.recorded().log == ["finished"])
    #expect(numbers.tryLast { $0 > 3 }.recorded().log == ["finished"])
  }

  @Test func nilIsAValue() {
    let optionals = [1, Int?.none].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    #expect(optionals.last().recorded().log == ["nil", "finished"])
  }

  @Test func valueWaitsForDemand() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.last() }
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.send(2)
    source.send(completion: .finished)
    #expect(recorder.log.isEmpty)
    recorder.request(.max(1))
    #expect(recorder.log == ["2", "finished"])
  }

  @Test func failureDropsTheValue() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.last() }
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
  }

  @Test func errorThrownCancelsUpstream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.tryLast { _ in throw TestError("thrown") } }
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.log == ["thrown"])
    #expect(source.cancellations.count == 1)
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Last") { upstream, _ in upstream.last() }
    expectOperatorRules("LastWhere") { upstream, token in
      upstream.last {
        token.touch()
        return $0 < 3
      }
    }
    expectOperatorRules("TryLastWhere") { upstream, token in
      upstream.tryLast {
        token.touch()
        return $0 < 3
      }
    }
  }
}
