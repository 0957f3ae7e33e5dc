import Interflow
import InterflowTestSupport
import Testing

@testable import DayInAMinute

/// A short version of the example.
@Suite struct DayInAMinuteTests {
  @Test(arguments: [1, 8, 64]) func everythingArrivesInOrderAndLittleIsOnItsWay(prefetch: Int) async {
    let counter = LifetimeCounter()
    let count = 20_000
    var (next, most) = (0, 0)
    await carry(
      prefetch: prefetch,
      // Erased, or the operator would be applied to the whole range at once.
      from: { (0..<count).publisher.eraseToAnyPublisher().map { Item(sender: 0, number: $0, token: counter.make()) } }
    ) { item in
      if item.number == next { next += 1 }
      most = max(most, counter.count)
    }
    #expect(next == count)
    // Three sequences, each of which asks for so many at a time, and what is in the hands of those between them.
    #expect(most <= 3 * prefetch + 5)
    #expect(counter.count == 0)
  }
}
