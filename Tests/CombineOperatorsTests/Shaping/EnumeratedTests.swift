import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct EnumeratedTests {
  @Test func valuesAreNumberedForEachSubscriber() {
    let publisher = ["a", "b"].publisher.enumerated(initial: 5).map { "\($0.index)\($0.element)" }
    #expect([publisher.recorded(), publisher.recorded()].map(\.values) == [["5a", "6b"], ["5a", "6b"]])
    #expect(["a"].publisher.enumerated().recorded().values.first?.index == 0)
  }

  @Test func numbersGoOnFromTheSmallestAfterTheLargest() {
    let indices = [1, 2].publisher.enumerated(initial: .max).map(\.index).recorded()
    #expect(indices.values == [.max, .min])
  }
}
