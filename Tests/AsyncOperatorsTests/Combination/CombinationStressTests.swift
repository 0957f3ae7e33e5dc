import AsyncOperators
import InterflowTestSupport
import Testing

/// Operators with several bases whose elements come at random moments, with consumers that are slow, stop
/// or are cancelled.
@Suite struct CombinationStressTests {
  private typealias Item = RandomSource.Item

  private static func bases(_ count: ClosedRange<Int>, _ random: inout Random) -> [RandomSource] {
    (0..<Int.random(in: count, using: &random)).map { RandomSource(&random, base: $0) }
  }

  // MARK: merge

  @Test func merging() async {
    await expectMerged(1...5) { merge($0) }
  }

  @Test func mergingTwo() async {
    await expectMerged(2...2) { merge($0[0], $0[1]) }
  }

  @Test func mergingThree() async {
    await expectMerged(3...3) { merge($0[0], $0[1], $0[2]) }
  }

  @Test func mergingFour() async {
    await expectMerged(4...4) { merge($0[0], $0[1], $0[2], $0[3]) }
  }

  private func expectMerged<S: AsyncSequence & Sendable>(
    _ count: ClosedRange<Int>, _ make: ([RandomSource]) -> S
  ) async where S.Element == Item, S.Failure == TestError {
    await withRandomSchedules { random in
      let bases = Self.bases(count, &random)
      let outcome = await randomOutcome(&random, make(bases))
      for base in bases {
        let items = outcome.elements.filter { $0.base == base.base }
        expectContiguous(items)
        if outcome.isWhole { #expect(items.count == base.count) }
      }
      expectEnd(outcome, bases)
      await expectReleased(bases)
    }
  }

  // MARK: zip

  @Test func zipping() async {
    await expectZipped(1...5) {
      zip($0)
    } items: {
      $0
    }
  }

  @Test func zippingTwo() async {
    await expectZipped(2...2) {
      zip($0[0], $0[1])
    } items: {
      [$0.0, $0.1]
    }
  }

  @Test func zippingThree() async {
    await expectZipped(3...3) {
      zip($0[0], $0[1], $0[2])
    } items: {
      [$0.0, $0.1, $0.2]
    }
  }

  @Test func zippingFour() async {
    await expectZipped(4...4) {
      zip($0[0], $0[1], $0[2], $0[3])
    } items: {
      [$0.0, $0.1, $0.2, $0.3]
    }
  }

  private func expectZipped<S: AsyncSequence & Sendable>(
    _ count: ClosedRange<Int>, _ make: ([RandomSource]) -> S, items: (S.Element) -> [Item]
  ) async where S.Element: Sendable, S.Failure == TestError {
    await withRandomSchedules { random in
      let bases = Self.bases(count, &random)
      let outcome = await randomOutcome(&random, make(bases))
      for (index, tuple) in outcome.elements.enumerated() {
        #expect(items(tuple).map(\.number) == Array(repeating: index, count: bases.count))
        #expect(items(tuple).map(\.base) == Array(0..<bases.count))
      }
      for base in bases { #expect(base.taken.value <= outcome.elements.count + 1) }
      await expectReleased(bases)
      if outcome.isWhole || outcome.failure != nil {
        #expect(outcome.elements.count == bases.map(\.count).min())
      }
      if let failure = outcome.failure {
        #expect(bases.contains { $0.failure == failure && $0.count == outcome.elements.count })
      }
    }
  }

  // MARK: combineLatest

  @Test func combiningTheLatest() async {
    await expectCombined(1...5) {
      combineLatest($0)
    } items: {
      $0
    }
  }

  @Test func combiningTheLatestOfTwo() async {
    await expectCombined(2...2) {
      combineLatest($0[0], $0[1])
    } items: {
      [$0.0, $0.1]
    }
  }

  @Test func combiningTheLatestOfThree() async {
    await expectCombined(3...3) {
      combineLatest($0[0], $0[1], $0[2])
    } items: {
      [$0.0, $0.1, $0.2]
    }
  }

  @Test func combiningTheLatestOfFour() async {
    await expectCombined(4...4) {
      combineLatest($0[0], $0[1], $0[2], $0[3])
    } items: {
      [$0.0, $0.1, $0.2, $0.3]
    }
  }

  private func expectCombined<S: AsyncSequence & Sendable>(
    _ count: ClosedRange<Int>, _ make: ([RandomSource]) -> S, items: (S.Element) -> [Item]
  ) async where S.Element: Sendable, S.Failure == TestError {
    await withRandomSchedules { random in
      let bases = Self.bases(count, &random)
      let outcome = await randomOutcome(&random, make(bases))
      let tuples = outcome.elements.map { items($0).map(\.number) }
      for (last, next) in zip(tuples, tuples.dropFirst()) {
        let steps = zip(last, next).map { $1 - $0 }
        #expect(steps.allSatisfy { (0...1).contains($0) } && steps.reduce(0, +) == 1, "lost, twice or out of order")
      }
      if outcome.isWhole, bases.allSatisfy({ $0.count > 0 }) {
        #expect(tuples.last == bases.map { $0.count - 1 })
      }
      expectEnd(outcome, bases)
      await expectReleased(bases)
    }
  }

  // MARK: Two sequences of which one decides

  @Test func addingTheLatest() async {
    await withRandomSchedules { random in
      let (base, other) = (RandomSource(&random, base: 0), RandomSource(&random, base: 1))
      let outcome = await randomOutcome(&random, base.withLatestFrom(other))
      expectContiguous(outcome.elements.map(\.0), from: nil)
      let others = outcome.elements.map(\.1.number)
      #expect(zip(others, others.dropFirst()).allSatisfy { $0 <= $1 }, "out of order")
      if outcome.isWhole, let last = outcome.elements.last { #expect(last.0.number == base.count - 1) }
      if outcome.isWhole { #expect(base.failure == nil) }
      if let failure = outcome.failure { #expect([base.failure, other.failure].contains(failure)) }
      await expectReleased([base, other])
    }
  }

  @Test func takingThePrefix() async {
    await withRandomSchedules { random in
      let (base, other) = (RandomSource(&random, base: 0), RandomSource(&random, base: 1, counts: 0...1))
      let outcome = await randomOutcome(&random, base.prefix(untilOutputFrom: other))
      expectContiguous(outcome.elements)
      #expect(base.taken.value <= outcome.elements.count + 1)
      if outcome.isWhole, outcome.elements.count < base.count { #expect(other.taken.value == 1) }
      if outcome.isWhole, other.count == 0 { #expect(outcome.elements.count == base.count && base.failure == nil) }
      if let failure = outcome.failure { #expect(base.failure == failure && outcome.elements.count == base.count) }
      await expectReleased([base, other])
    }
  }

  @Test func droppingThePrefix() async {
    await withRandomSchedules { random in
      let (base, other) = (RandomSource(&random, base: 0), RandomSource(&random, base: 1, counts: 0...1))
      let outcome = await randomOutcome(&random, base.drop(untilOutputFrom: other))
      expectContiguous(outcome.elements, from: nil)
      if !outcome.elements.isEmpty {
        #expect(other.taken.value == 1)
        if !outcome.wasStopped {
          #expect(outcome.elements.last?.number == base.count - 1 && outcome.failure == base.failure)
        }
      }
      if let failure = outcome.failure { #expect([base.failure, other.failure].contains(failure)) }
      await expectReleased([base, other])
    }
  }

  @Test func racing() async {
    await expectWinner(1...5) { race($0) }
  }

  @Test func racingTwo() async {
    await expectWinner(2...2) { race($0[0], $0[1]) }
  }

  @Test func racingThree() async {
    await expectWinner(3...3) { race($0[0], $0[1], $0[2]) }
  }

  private func expectWinner<S: AsyncSequence & Sendable>(
    _ count: ClosedRange<Int>, _ make: ([RandomSource]) -> S
  ) async where S.Element == Item, S.Failure == TestError {
    await withRandomSchedules { random in
      let bases = Self.bases(count, &random)
      let outcome = await randomOutcome(&random, make(bases))
      expectContiguous(outcome.elements)
      if let winner = outcome.elements.first.map({ bases[$0.base] }) {
        #expect(outcome.elements.allSatisfy { $0.base == winner.base })
        // One more if the consumer was cancelled while it waited for it.
        #expect(winner.taken.value - outcome.elements.count <= (outcome.wasStopped ? 1 : 0))
        if !outcome.wasStopped {
          #expect(outcome.elements.count == winner.count && outcome.failure == winner.failure)
        }
      } else if !outcome.wasStopped {
        #expect(bases.contains { $0.count == 0 && $0.failure == outcome.failure })
      }
      for base in bases where base.base != outcome.elements.first?.base { #expect(base.taken.value <= 1) }
      await expectReleased(bases)
    }
  }

  private func expectEnd(_ outcome: RandomOutcome<some Any>, _ bases: [RandomSource]) {
    if let failure = outcome.failure {
      #expect(bases.contains { $0.failure == failure })
    } else if outcome.isWhole, bases.allSatisfy({ $0.count > 0 }) {
      #expect(bases.allSatisfy { $0.failure == nil }, "a failure is lost")
    }
  }
}
