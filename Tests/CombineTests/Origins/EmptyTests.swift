import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("Empty")
struct EmptyTests {
  @Test func finishesWithoutDemand() {
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    Empty<Int, TestError>().subscribe(recorder)
    #expect(recorder.subscriptionNames == ["Empty"])
    #expect(recorder.log == ["finished"])
  }

  @Test func neverFinishesIfItIsNotTo() {
    let recorder = RecordingSubscriber<Int, TestError>()
    Empty(completeImmediately: false, outputType: Int.self, failureType: TestError.self).subscribe(recorder)
    #expect(recorder.subscriptionNames == ["Empty"])
    #expect(recorder.log == [])
  }

  @Test func isEqualToOneThatEndsTheSameWay() {
    #expect(Empty<Int, Never>() == Empty<Int, Never>(completeImmediately: true))
    #expect(Empty<Int, Never>() != Empty<Int, Never>(completeImmediately: false))
  }
}
