import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct FilterTests {
  private typealias Source = TestPublisher<Int, TestError>

  @Test func onlyAcceptedValuesPass() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.filter { $0.isMultiple(of: 2) }.recorded()
    for value in 1...5 { source.send(value) }
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["2", "4", "test error"])
    #expect(recorder.subscriptionNames == ["TestSubscription"])
  }

  @Test func valueLeftOutIsReplaced() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { .max($0) })
    source.filter { $0 > 1 }.subscribe(recorder)
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .max(2))
    #expect(recorder.log == ["2"])
  }

  @Test func filtersInARowBecomeOne() {
    let source = Source(keepsSubscribers: true)
    var asked: [Int] = []
    let filtered: Publishers.Filter<Source> = source.filter { $0 > 1 }.filter {
      asked.append($0)
      return $0 < 4
    }
    #expect(filtered.upstream === source)
    let recorder = filtered.recorded()
    for value in 1...5 { source.send(value) }
    #expect(recorder.log == ["2", "3"])
    #expect(asked == [2, 3, 4, 5])
  }

  @Test func printedNameIsTheUpstreams() {
    let lines = Lines()
    _ = PassthroughSubject<Int, Never>().filter { $0 > 1 }.print(to: lines).recorded()
    #expect(lines.text == "receive subscription: (PassthroughSubject)\nrequest unlimited\n")
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Filter", isGuarded: false) { upstream, token in
      upstream.filter {
        token.touch()
        return $0 > 1
      }
    }
  }
}
