import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct IfEmptyTests {
  @Test func otherIsUsedOnlyWithoutValues() {
    let other = [7, 8].publisher
    #expect(Empty<Int, Never>().ifEmpty(switchTo: other).recorded().log == ["7", "8", "finished"])
    #expect(Just(1).ifEmpty(switchTo: other).recorded().log == ["1", "finished"])
  }

  @Test func failureDoesNotSwitch() {
    let recorder = Fail<Int, TestError>(error: TestError("no")).ifEmpty(switchTo: Empty()).recorded()
    #expect(recorder.log == ["no"])
  }

  @Test func demandIsRequestedFromTheOther() {
    let recorder = Empty<Int, Never>().ifEmpty(switchTo: [7, 8].publisher).recorded(demand: .max(1))
    #expect(recorder.log == ["7"])
  }

  @Test func followsTheRulesOfPublishers() async throws {
    try await PublisherVerification.verify(
      options: .patient, make: { Empty<Int, Never>().ifEmpty(switchTo: (0..<$0).publisher) },
      failing: { PublisherUnderTest(Fail<Int, TestError>(error: TestError()).ifEmpty(switchTo: Empty())) })
  }
}
