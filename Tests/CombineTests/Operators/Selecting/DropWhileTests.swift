import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct DropWhileTests {
  private let numbers = [1, 2, 3, 1].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()

  @Test func valuesAreLeftOutUntilOneIsRefused() {
    #expect(numbers.drop { $0 < 3 }.recorded().log == ["3", "1", "finished"])
    #expect(numbers.tryDrop { $0 < 3 }.recorded().log == ["3", "1", "finished"])
    #expect(numbers.drop { _ in true }.recorded().log == ["finished"])
  }

  @Test func valueLeftOutIsReplaced() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .max(1)) { $0.drop { $0 < 2 } }
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
    #expect(source.send(1) == .none)
    #expect(recorder.log == ["2", "1"])
  }

  @Test func closureIsReleasedWithItsRefusal() {
    let counter = LifetimeCounter()
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    func stream() -> RecordingSubscriber<Int, TestError> {
      let token = counter.make()
      return source.recorded {
        $0.drop {
          token.touch()
          return $0 < 2
        }
      }
    }
    let recorder = stream()
    source.send(1)
    #expect(counter.count == 1)
    source.send(2)
    #expect(counter.count == 0)
    #expect(recorder.log == ["2"])
  }

  @Test func failurePasses() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.tryDrop { _ in true } }
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
  }

  @Test func errorThrownCancelsUpstream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.tryDrop { _ in throw TestError("thrown") } }
    #expect(source.send(1) == .none)
    source.send(2)
    source.send(completion: .finished)
    #expect(recorder.log == ["thrown"])
    #expect(source.cancellations.count == 1)
  }

  @Test func keepsTheRules() {
    expectOperatorRules("DropWhile") { upstream, token in
      upstream.drop {
        token.touch()
        return $0 < 2
      }
    }
    expectOperatorRules("TryDropWhile") { upstream, token in
      upstream.tryDrop {
        token.touch()
        return $0 < 3
      }
    }
  }
}
