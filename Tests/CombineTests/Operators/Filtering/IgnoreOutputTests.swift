import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct IgnoreOutputTests {
  @Test func onlyTheCompletionPasses() {
    for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError())] {
      let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let recorder = source.recorded { $0.ignoreOutput() }
      #expect(source.send(1) == .none)
      #expect(source.send(2) == .none)
      source.send(completion: completion)
      #expect(recorder.log == [completion == .finished ? "finished" : "test error"])
    }
  }

  @Test func upstreamRunsWithoutDemand() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.ignoreOutput() }
    #expect(source.requests == [.unlimited])
    recorder.request(.max(1))
    #expect(source.requests == [.unlimited, .max(1)])
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.log == ["finished"])
  }

  @Test func equalUpstreamsMakeEqualPublishers() {
    #expect(Publishers.IgnoreOutput(upstream: Just(1)) == Publishers.IgnoreOutput(upstream: Just(1)))
  }

  @Test func keepsTheRules() {
    expectOperatorRules("IgnoreOutput", deliversValues: false, isGuarded: false) { upstream, _ in
      upstream.ignoreOutput()
    }
  }
}
