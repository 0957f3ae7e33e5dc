import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct FirstTests {
  private let numbers = [1, 2, 3].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()

  @Test func firstValueEndsTheStream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.first() }
    #expect(source.requests == [.unlimited])
    #expect(source.send(1) == .none)
    #expect(recorder.log == ["1", "finished"])
    #expect(source.cancellations.count == 1)
    source.send(2)
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func firstAcceptedValueEndsTheStream() {
    #expect(numbers.first { $0 > 1 }.recorded().log == ["2", "finished"])
    #expect(numbers.tryFirst { $0 > 1 }.recorded().log == ["2", "finished"])
  }

  @Test func endWithoutAValueJustFinishes() {
    #expect(Empty<Int, Never>().first().recorded().log == ["finished"])
    #expect(numbers.first { $0 > 3 }.recorded().log == ["finished"])
    #expect(numbers.tryFirst { $0 > 3 }.recorded().log == ["finished"])
  }

  @Test func endWithoutAValueWaitsForDemand() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.first() }
    source.send(completion: .finished)
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log.isEmpty)
    recorder.request(.max(1))
    #expect(recorder.log == ["finished"])
  }

  @Test func nilIsAValue() {
    let optionals = [Int?.none, 1].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    #expect(optionals.first().recorded().log == ["nil", "finished"])
    #expect(optionals.first { $0 == nil }.recorded().log == ["nil", "finished"])
  }

  @Test func subjectIsLeftAfterOneValue() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = subject.first().recorded()
    recorder.onValue = { [unowned subject] in subject.send($0 + 1) }
    subject.send(1)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func valueWaitsForDemand() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.first() }
    source.send(1)
    #expect(source.cancellations.count == 1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log.isEmpty)
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func errorThrownCancelsUpstream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.tryFirst { _ in throw TestError("thrown") } }
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.log == ["thrown"])
    #expect(source.cancellations.count == 1)
  }

  @Test func keepsTheRules() {
    expectOperatorRules("First") { upstream, _ in upstream.first() }
    expectOperatorRules("TryFirst") { upstream, token in
      upstream.first {
        token.touch()
        return $0 == 2
      }
    }
    expectOperatorRules("TryFirstWhere") { upstream, token in
      upstream.tryFirst {
        token.touch()
        return $0 == 3
      }
    }
  }
}
