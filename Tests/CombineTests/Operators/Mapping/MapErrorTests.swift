import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MapErrorTests {
  private struct Wrapped: Error, Equatable {
    var inner: TestError
  }

  @Test func errorIsChangedAndTheRestPasses() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, Wrapped>(initialDemand: .max(2), demandForEach: { .max($0) })
    source.mapError { Wrapped(inner: $0) }.subscribe(recorder)
    #expect(recorder.subscriptionNames == ["TestSubscription"])
    #expect(source.requests == [.max(2)])
    #expect(source.send(1) == .max(1))
    source.send(completion: .failure(TestError()))
    #expect(recorder.error == Wrapped(inner: TestError()))
    recorder.cancel()
    #expect(source.cancellations.count == 1)
  }

  @Test func finishPassesAndAsksNobody() {
    let publisher = Publishers.MapError(upstream: Empty<Int, TestError>()) { (_: TestError) -> TestError in
      Issue.record("there is no error to change")
      return TestError()
    }
    #expect(publisher.recorded().log == ["finished"])
  }

  @Test func keepsTheRules() {
    expectOperatorRules("MapError", isGuarded: false) { upstream, token in
      upstream.mapError { error -> TestError in
        token.touch()
        return error
      }
    }
  }
}
