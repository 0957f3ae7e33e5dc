import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct PrefixWhileTests {
  @Test func refusedValueEndsTheStream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { _ in .max(2) })
    source.prefix { $0 < 2 }.subscribe(recorder)
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(2))
    #expect(source.send(2) == .none)
    #expect(recorder.log == ["1", "finished"])
    #expect(source.cancellations.count == 1)
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func endAndFailurePass() {
    #expect([1, 2].publisher.tryPrefix { $0 < 3 }.recorded().log == ["1", "2", "finished"])
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.tryPrefix { _ in true } }
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["1", "test error"])
  }

  @Test func errorThrownCancelsUpstream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded {
      $0.tryPrefix {
        if $0 == 2 { throw TestError("thrown") }
        return true
      }
    }
    source.send(1)
    #expect(source.send(2) == .none)
    source.send(3)
    #expect(recorder.log == ["1", "thrown"])
    #expect(source.cancellations.count == 1)
  }

  @Test func closureIsNotAskedAfterItsRefusal() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    var asked: [Int] = []
    let recorder = source.recorded {
      $0.prefix {
        asked.append($0)
        return $0 < 2
      }
    }
    for value in 1...4 { source.send(value) }
    #expect(asked == [1, 2])
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func keepsTheRules() {
    expectOperatorRules("PrefixWhile", earlyValue: .traps) { upstream, token in
      upstream.prefix {
        token.touch()
        return $0 < 3
      }
    }
    expectOperatorRules("TryPrefixWhile", earlyValue: .traps) { upstream, token in
      upstream.tryPrefix {
        token.touch()
        return $0 < 4
      }
    }
  }
}
