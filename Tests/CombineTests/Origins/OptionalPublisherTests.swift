import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("Optional.Publisher")
struct OptionalPublisherTests {
  @Test func aValueComesWithTheFirstRequest() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    Optional(7).publisher.subscribe(recorder)
    #expect(recorder.subscriptionNames == ["Optional"])
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["7", "finished"])
  }

  @Test func nothingFinishesWithoutDemand() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    Optional<Int>.none.publisher.subscribe(recorder)
    #expect(recorder.subscriptionNames == ["Empty"])
    #expect(recorder.log == ["finished"])
  }

  @Test func equalOptionalsMakeEqualPublishers() {
    #expect(Optional(1).publisher == Optional<Int>.Publisher(1))
    #expect(Optional(1).publisher != Optional<Int>.none.publisher)
    #expect(Optional(1).publisher.output == 1)
  }

  @Test func usersMayExtendTheNestedType() {
    #expect(Optional(2).publisher.doubled == 4)
  }
}

extension Optional.Publisher where Wrapped == Int {
  fileprivate var doubled: Int? { output.map { $0 * 2 } }
}
