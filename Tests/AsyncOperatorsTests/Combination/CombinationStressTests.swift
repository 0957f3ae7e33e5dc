import AsyncOperators
import InterflowTestSupport
import Testing

/// `merge`, `zip` and `combineLatest` of bases whose elements come at random moments, with consumers that are slow, stop
/// or are cancelled.
@Suite(.timeLimit(.minutes(20))) struct CombinationStressTests {
  private typealias Item = RandomSource.Item

  @Test func merging() async {
    await withRandomSchedules { random in
      let bases = (0..<Int.random(in: 1...5, using: &random)).map { RandomSource(&random, base: $0) }
      let outcome = await randomOutcome(&random, merge(bases))
      for base in bases {
        let numbers = outcome.elements.filter { $0.base == base.base }.map(\.number)
        #expect(numbers == Array(0..<numbers.count), "lost, twice or out of order")
        if outcome.isWhole { #expect(numbers.count == base.count) }
      }
      expectEnd(outcome, bases)
      for base in bases where base.taken.value > 0 { await base.released.wait() }
    }
  }

  @Test func zipping() async {
    await withRandomSchedules { random in
      let bases = (0..<3).map { RandomSource(&random, base: $0) }
      let outcome = await randomOutcome(&random, zip(bases[0], bases[1], bases[2]))
      for (index, tuple) in outcome.elements.enumerated() {
        #expect([tuple.0.number, tuple.1.number, tuple.2.number] == [index, index, index])
      }
      for base in bases {
        #expect(base.taken.value <= outcome.elements.count + 1)
        if base.taken.value > 0 { await base.released.wait() }
      }
      if outcome.isWhole || outcome.failure != nil {
        #expect(outcome.elements.count == bases.map(\.count).min())
      }
      if let failure = outcome.failure {
        #expect(bases.contains { $0.failure == failure && $0.count == outcome.elements.count })
      }
    }
  }

  @Test func combiningTheLatest() async {
    await withRandomSchedules { random in
      let bases = (0..<2).map { RandomSource(&random, base: $0) }
      let outcome = await randomOutcome(&random, combineLatest(bases[0], bases[1]))
      for (last, next) in zip(outcome.elements, outcome.elements.dropFirst()) {
        let steps = [next.0.number - last.0.number, next.1.number - last.1.number]
        #expect(steps == [0, 1] || steps == [1, 0], "lost, twice or out of order")
      }
      if outcome.isWhole, bases.allSatisfy({ $0.count > 0 }) {
        #expect(outcome.elements.last.map { [$0.0.number, $0.1.number] } == bases.map { $0.count - 1 })
      }
      expectEnd(outcome, bases)
      for base in bases where base.taken.value > 0 { await base.released.wait() }
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

extension RandomOutcome {
  /// Whether it ended with the end of the sequence.
  fileprivate var isWhole: Bool { !wasStopped && failure == nil }
}
