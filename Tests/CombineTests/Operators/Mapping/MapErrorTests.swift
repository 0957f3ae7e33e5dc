import Combine
import InterflowTestSupport
import Testing

@Suite struct MapErrorTests {
  private struct Wrapped: Error, Equatable {
    var inner: TestError
  }

  @Test func errorIsChangedAndTheRestPasses() {
    let source = ManualPublisher<Int, TestError>()
    let recorder = Recorder<Int, Wrapped>(demand: .max(2), demandForEach: { .max($0) })
    source.mapError { Wrapped(inner: $0) }.subscribe(recorder)
    #expect(recorder.subscriptions == ["ManualSubscription"])
    #expect(source.requests == [.max(2)])
    #expect(source.send(1) == .max(1))
    source.send(completion: .failure(TestError()))
    #expect(recorder.error == Wrapped(inner: TestError()))
    recorder.cancel()
    #expect(source.cancellations == 1)
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
