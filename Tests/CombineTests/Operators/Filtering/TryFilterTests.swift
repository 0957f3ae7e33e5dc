import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct TryFilterTests {
  private let numbers = (1...12).publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()

  @Test func acceptedValuesPass() {
    #expect(numbers.tryFilter { $0 > 10 }.recorded().log == ["11", "12", "finished"])
    let optionals = [Int?.none, 1].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    #expect(optionals.tryFilter { $0 == nil }.recorded().log == ["nil", "finished"])
  }

  @Test func filtersInARowBecomeOne() {
    let both: Publishers.Filter = numbers.filter { $0 > 3 }.filter { $0.isMultiple(of: 4) }
    #expect(type(of: both.upstream) == type(of: numbers))
    #expect(both.recorded().values == [4, 8, 12])

    let throwing: Publishers.TryFilter = numbers.filter { $0 > 3 }.tryFilter { $0.isMultiple(of: 4) }
    #expect(type(of: throwing.upstream) == type(of: numbers))
    #expect(throwing.recorded().values == [4, 8, 12])

    let three: Publishers.TryFilter = throwing.filter { $0 < 10 }.tryFilter { $0 != 4 }
    #expect(type(of: three.upstream) == type(of: numbers))
    #expect(three.recorded().log == ["8", "finished"])
  }

  @Test func valueLeftOutIsReplaced() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .max(1)) { $0.tryFilter { $0 > 1 } }
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
    #expect(recorder.log == ["2"])
  }

  @Test func errorThrownCancelsUpstream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.tryFilter { _ in throw TestError("thrown") } }
    #expect(source.send(1) == .none)
    source.send(2)
    source.send(completion: .finished)
    #expect(recorder.log == ["thrown"])
    #expect(source.cancellations.count == 1)
  }

  @Test func failurePasses() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.tryFilter { _ in true } }
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
  }

  @Test func keepsTheRules() {
    expectOperatorRules("TryFilter", earlyValue: .traps) { upstream, token in
      upstream.tryFilter {
        token.touch()
        return $0 != 2
      }
    }
  }
}
