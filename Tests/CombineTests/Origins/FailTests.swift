import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("Fail")
struct FailTests {
  @Test func failsWithoutDemand() {
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    Fail<Int, TestError>(error: TestError()).subscribe(recorder)
    #expect(recorder.subscriptionNames == ["Empty"])
    #expect(recorder.log == ["test error"])
  }

  @Test func bothInitialisersKeepTheError() {
    #expect(Fail(outputType: Int.self, failure: TestError("a")) == Fail<Int, TestError>(error: TestError("a")))
    #expect(Fail<Int, TestError>(error: TestError("a")) != Fail(error: TestError("b")))
    #expect(Fail<Int, TestError>(error: TestError("a")).error == TestError("a"))
  }
}
