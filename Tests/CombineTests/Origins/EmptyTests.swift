import Combine
import InterflowTestSupport
import Testing

@Suite("Empty")
struct EmptyTests {
  @Test func finishesWithoutDemand() {
    let recorder = Recorder<Int, TestError>(demand: .none)
    Empty<Int, TestError>().subscribe(recorder)
    #expect(recorder.subscriptions == ["Empty"])
    #expect(recorder.log == ["finished"])
  }

  @Test func neverFinishesIfItIsNotTo() {
    let recorder = Recorder<Int, TestError>()
    Empty(completeImmediately: false, outputType: Int.self, failureType: TestError.self).subscribe(recorder)
    #expect(recorder.subscriptions == ["Empty"])
    #expect(recorder.log == [])
  }

  @Test func isEqualToOneThatEndsTheSameWay() {
    #expect(Empty<Int, Never>() == Empty<Int, Never>(completeImmediately: true))
    #expect(Empty<Int, Never>() != Empty<Int, Never>(completeImmediately: false))
  }
}
