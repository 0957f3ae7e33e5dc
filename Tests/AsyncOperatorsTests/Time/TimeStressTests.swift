import AsyncOperators
import InterflowTestSupport
import Testing

/// Operators with a clock, over a base whose elements come at random moments, with consumers that are slow, stop or are
/// cancelled.
@Suite struct TimeStressTests {
  @Test func delaying() async {
    await withRandomSchedules { random in
      let base = RandomSource(&random, base: 0, counts: 0...20)
      let interval = Duration.microseconds(Int.random(in: 0...100, using: &random))
      let limit = Int.random(in: 0...5, using: &random)
      let outcome = await randomOutcome(&random, base.delay(for: interval, clock: .continuous, limit: limit))
      expectContiguous(outcome.elements)
      if !outcome.wasStopped { #expect(outcome.elements.count == base.count && outcome.failure == base.failure) }
      await expectReleased([base])
    }
  }

  /// Elements are left out, but never the last one, and none comes twice or out of order.
  @Test func debouncing() async {
    await withRandomSchedules { random in
      let base = RandomSource(&random, base: 0, counts: 0...20)
      let interval = Duration.microseconds(Int.random(in: 0...100, using: &random))
      let outcome = await randomOutcome(&random, base.debounce(for: interval, clock: .continuous))
      let numbers = outcome.elements.map(\.number)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(numbers)")
      if outcome.isWhole { #expect(numbers.last == (base.count == 0 ? nil : base.count - 1)) }
      if !outcome.wasStopped { #expect(outcome.failure == base.failure) }
      await expectReleased([base])
    }
  }

  /// The time is over at a random moment, or never.
  @Test func waitingForATimeout() async {
    await withRandomSchedules { random in
      let base = RandomSource(&random, base: 0, counts: 0...20)
      let isShort = Bool.random(using: &random)
      let interval = isShort ? Duration.microseconds(Int.random(in: 0...300, using: &random)) : .seconds(1_000)
      let late = TestError("late")
      let outcome = await randomOutcome(&random, base.timeout(for: interval, clock: .continuous) { late })
      expectContiguous(outcome.elements)
      #expect(base.taken.value <= outcome.elements.count + 1)
      if !outcome.wasStopped, outcome.failure != late {
        #expect(outcome.elements.count == base.count && outcome.failure == base.failure)
      }
      if !isShort { #expect(outcome.failure != late) }
      await expectReleased([base])
    }
  }
}
