import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ComparisonTests {
  private let words = ["bb", "a", "cc", "d"].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()

  @Test func greatestAndLeastAreDelivered() {
    #expect([2, 3, 1].publisher.eraseToAnyPublisher().max().recorded().log == ["3", "finished"])
    #expect([2, 3, 1].publisher.eraseToAnyPublisher().min().recorded().log == ["1", "finished"])
    #expect(Empty<Int, Never>().max().recorded().log == ["finished"])
    #expect(Empty<Int, Never>().min().recorded().log == ["finished"])
  }

  @Test func firstOfEqualsIsTakenAsWithSequences() {
    let shorter = { (first: String, second: String) in first.count < second.count }
    #expect(words.max(by: shorter).recorded().values == ["bb"])
    #expect(words.min(by: shorter).recorded().values == ["a"])
    #expect(words.tryMax(by: shorter).recorded().values == ["bb"])
    #expect(words.tryMin(by: shorter).recorded().values == ["a"])
    #expect(["bb", "a", "cc", "d"].max(by: shorter) == "bb")
    #expect(["bb", "a", "cc", "d"].min(by: shorter) == "a")
  }

  @Test func publisherHoldsTheOrderForMax() {
    let comparison = [1, 2].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher().min(by: <)
    #expect(comparison.areInIncreasingOrder(2, 1))
    #expect(!comparison.areInIncreasingOrder(1, 2))
  }

  @Test func resultWaitsForDemand() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.max() }
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.log.isEmpty)
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func errorThrownCancelsUpstream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let greatest = source.recorded { $0.tryMax { _, _ in throw TestError("thrown") } }
    source.send(1)
    #expect(source.cancellations.isEmpty)
    source.send(2)
    source.send(completion: .finished)
    #expect(greatest.log == ["thrown"])
    #expect(source.cancellations.count == 1)
    let least = source.recorded { $0.tryMin { _, _ in throw TestError("thrown") } }
    source.send(1)
    source.send(2)
    #expect(least.log == ["thrown"])
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Comparison") { upstream, token in
      upstream.max {
        token.touch()
        return $0 < $1
      }
    }
    expectOperatorRules("TryComparison") { upstream, token in
      upstream.tryMin {
        token.touch()
        return $0 < $1
      }
    }
  }
}
