import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("Result.Publisher")
struct ResultPublisherTests {
  @Test func aValueComesWithTheFirstRequest() {
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    Result<Int, TestError>.success(7).publisher.subscribe(recorder)
    #expect(recorder.subscriptionNames == ["Once"])
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["7", "finished"])
  }

  @Test func aFailureComesWithoutDemand() {
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    Result<Int, TestError>.failure(TestError()).publisher.subscribe(recorder)
    #expect(recorder.subscriptionNames == ["Empty"])
    #expect(recorder.log == ["test error"])
  }

  @Test func everyInitialiserKeepsTheResult() {
    typealias Source = Result<Int, TestError>.Publisher
    #expect(Source(1) == Source(.success(1)))
    #expect(Source(TestError()) == Source(.failure(TestError())))
    #expect(Source(1) != Source(TestError()))
    #expect(Source(1).result == .success(1))
  }
}
