import Combine
import InterflowTestSupport
import Testing

@Suite("Fail")
struct FailTests {
  @Test func failsWithoutDemand() {
    let recorder = Recorder<Int, TestError>(demand: .none)
    Fail<Int, TestError>(error: TestError()).subscribe(recorder)
    #expect(recorder.subscriptions == ["Empty"])
    #expect(recorder.log == ["test error"])
  }

  @Test func bothInitialisersKeepTheError() {
    #expect(Fail(outputType: Int.self, failure: TestError("a")) == Fail<Int, TestError>(error: TestError("a")))
    #expect(Fail<Int, TestError>(error: TestError("a")) != Fail(error: TestError("b")))
    #expect(Fail<Int, TestError>(error: TestError("a")).error == TestError("a"))
  }
}
