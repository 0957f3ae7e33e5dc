import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct RemoveAllDuplicatesTests {
  private struct OnlyEquatable: Equatable {
    let number: Int
  }

  @Test func eachValueIsDeliveredOnce() {
    let values = [1, 2, 1, 3, 2].publisher
    #expect(values.removeAllDuplicates().recorded().values == [1, 2, 3])
    #expect(values.distinct().recorded().values == [1, 2, 3])
    #expect(values.removeAllDuplicates { $0 % 2 == $1 % 2 }.recorded().values == [1, 2])
    #expect(values.map(OnlyEquatable.init).removeAllDuplicates().recorded().values.map(\.number) == [1, 2, 3])
  }

  @Test func subscribersDoNotShareWhatTheyHaveSeen() {
    let publisher = [1, 1].publisher.removeAllDuplicates()
    #expect([publisher.recorded(), publisher.recorded()].map(\.values) == [[1], [1]])
    let compared = [1, 1].publisher.removeAllDuplicates(by: ==)
    #expect([compared.recorded(), compared.recorded()].map(\.values) == [[1], [1]])
  }

  @Test func droppedValueIsReplacedByDemandForAnother() {
    #expect([1, 1, 1, 2].publisher.removeAllDuplicates().recorded(demand: .max(2)).values == [1, 2])
  }

  @Test func followsTheRulesOfPublishers() async throws {
    try await PublisherVerification.verify(
      options: .patient, make: { (0..<$0).publisher.removeAllDuplicates() },
      failing: { PublisherUnderTest(Fail<Int, TestError>(error: TestError()).removeAllDuplicates()) })
  }
}
