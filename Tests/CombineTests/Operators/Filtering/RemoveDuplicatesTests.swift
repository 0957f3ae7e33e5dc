import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct RemoveDuplicatesTests {
  private let numbers = [1, 1, 2, 2, 2, 1].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()

  @Test func valuesEqualToTheOneBeforeAreLeftOut() {
    #expect(numbers.removeDuplicates().recorded().log == ["1", "2", "1", "finished"])
    #expect(numbers.removeDuplicates { $0 == $1 }.recorded().log == ["1", "2", "1", "finished"])
    #expect(numbers.tryRemoveDuplicates { $0 == $1 }.recorded().log == ["1", "2", "1", "finished"])
  }

  @Test func closureGetsTheValueBeforeFirstWhetherOrNotThatWasLeftOut() {
    var asked: [[Int]] = []
    let rising = [1, 2, 3, 5].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher().removeDuplicates {
      asked.append([$0, $1])
      return $1 - $0 == 1
    }
    #expect(rising.recorded().log == ["1", "5", "finished"])
    #expect(asked == [[1, 2], [2, 3], [3, 5]])
  }

  @Test func nilIsAValue() {
    let optionals = [Int?.none, nil, 1].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    #expect(optionals.removeDuplicates().recorded().log == ["nil", "Optional(1)", "finished"])
  }

  @Test func valueLeftOutIsReplaced() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .max(1)) { $0.removeDuplicates() }
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .none)
    #expect(source.send(1) == .max(1))
    #expect(recorder.log == ["1"])
  }

  @Test func valueSentFromInsideAValueIsComparedWithIt() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.removeDuplicates() }
    recorder.onValue = { [unowned source] in if $0 == 1 { source.send(1) } }
    source.send(1)
    source.send(2)
    #expect(recorder.log == ["1", "2"])
  }

  @Test func failurePasses() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.tryRemoveDuplicates { $0 == $1 } }
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["1", "test error"])
  }

  @Test func errorThrownCancelsUpstream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.tryRemoveDuplicates { _, _ in throw TestError("thrown") } }
    source.send(1)
    #expect(source.send(2) == .none)
    source.send(3)
    #expect(recorder.log == ["1", "thrown"])
    #expect(source.cancellations.count == 1)
  }

  @Test func keepsTheRules() {
    expectOperatorRules("RemoveDuplicates", feed: [1, 1, 2, 2, 3], earlyValue: .traps) { upstream, token in
      upstream.removeDuplicates {
        token.touch()
        return $0 == $1
      }
    }
    expectOperatorRules("TryRemoveDuplicates", feed: [1, 1, 2, 2, 3], earlyValue: .traps) { upstream, token in
      upstream.tryRemoveDuplicates {
        token.touch()
        return $0 == $1
      }
    }
  }
}
