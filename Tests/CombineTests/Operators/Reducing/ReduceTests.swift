import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ReduceTests {
  @Test func resultOfAllValuesIsDelivered() {
    #expect((1...4).publisher.eraseToAnyPublisher().reduce(10) { $0 + $1 }.recorded().log == ["20", "finished"])
    #expect((1...3).publisher.eraseToAnyPublisher().reduce("") { $0 + "\($1)" }.recorded().log == ["123", "finished"])
    #expect([1, 2].publisher.eraseToAnyPublisher().tryReduce(0) { $0 + $1 }.recorded().log == ["3", "finished"])
  }

  @Test func initialResultIsDeliveredWhereThereAreNoValues() {
    #expect(Empty<Int, Never>().reduce(7) { $0 + $1 }.recorded().log == ["7", "finished"])
    #expect(Empty<Int, Never>().tryReduce(7) { $0 + $1 }.recorded().log == ["7", "finished"])
  }

  @Test func resultMayBeNil() {
    let recorder = [1, 2].publisher.eraseToAnyPublisher().reduce(Int?.some(0)) { _, _ in nil }.recorded()
    #expect(recorder.log == ["nil", "finished"])
  }

  @Test func failureDropsTheResult() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.reduce(0, +) }
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
  }

  @Test func errorThrownCancelsUpstreamBeforeItIsDelivered() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, any Error>()
    var cancellationsAtCompletion = 0
    recorder.onCompletion = { _ in cancellationsAtCompletion = source.cancellations.count }
    source.tryReduce(0) { sum, next in
      if next > 1 { throw TestError("thrown") }
      return sum + next
    }.subscribe(recorder)
    #expect(source.send(1) == .none)
    #expect(source.send(2) == .none)
    #expect(recorder.log == ["thrown"])
    #expect(cancellationsAtCompletion == 1)
    source.send(3)
    source.send(completion: .finished)
    #expect(recorder.log == ["thrown"])
    #expect(source.cancellations.count == 1)
  }

  @Test func upstreamIsAskedWithoutLimitWhateverTheSubscriberAsks() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.reduce(0, +) }
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.log.isEmpty)
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
    #expect(source.requests == [.unlimited])
  }

  @Test func cancellationBeforeTheDemandDropsTheResult() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.reduce(0, +) }
    source.send(completion: .finished)
    recorder.cancel()
    recorder.request(.max(1))
    #expect(recorder.log.isEmpty)
  }

  @Test func sendFromInsideTheClosureNests() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded {
      $0.reduce([Int]()) { [unowned source] result, next in
        if next == 1 {
          source.send(2)
          source.send(completion: .finished)
        }
        return result + [next]
      }
    }
    source.send(1)
    #expect(recorder.log == ["[2]", "finished"])
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Reduce") { upstream, token in
      upstream.reduce(0) {
        token.touch()
        return $0 + $1
      }
    }
    expectOperatorRules("TryReduce") { upstream, token in
      upstream.tryReduce(0) {
        token.touch()
        return $0 + $1
      }
    }
  }
}
