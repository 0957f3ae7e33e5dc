import AsyncOperators
import InterflowTestSupport
import Testing

/// Operators whose base makes other sequences: all have elements at random moments, and the consumers are slow, stop or
/// are cancelled.
@Suite struct FlatMapStressTests {
  private typealias Item = RandomSource.Item

  /// The base and the sequences that its elements make, in this order.
  private struct Sources {
    let base: RandomSource
    let inner: [RandomSource]
    /// How many of the sequences have been made.
    let made = Shared(0)

    init(_ random: inout Random) {
      base = RandomSource(&random, base: 0)
      inner = (0..<base.count).map { RandomSource(&random, base: $0, counts: 0...6) }
    }

    /// How many of the sequences that have been made have not ended.
    var active: Int { made.value - inner.reduce(0) { $0 + $1.ended.value } }

    @Sendable func make(_ item: Item) -> RandomSource {
      made.update { $0 += 1 }
      return inner[item.number]
    }
  }

  private func expectEnd(_ outcome: RandomOutcome<Item>, _ sources: Sources) async {
    for source in sources.inner {
      let items = outcome.elements.filter { $0.base == source.base }
      expectContiguous(items)
      #expect(source.taken.value <= items.count + 1)
    }
    if let failure = outcome.failure {
      #expect(sources.base.failure == failure || sources.inner.contains { $0.failure == failure })
    }
    if outcome.isWhole { #expect(sources.base.failure == nil && sources.base.taken.value == sources.base.count) }
    await expectReleased([sources.base] + sources.inner)
  }

  @Test func merging() async {
    await withRandomSchedules { random in
      let sources = Sources(&random)
      let maxTasks = Int.random(in: 1...4, using: &random)
      let merged = sources.base.flatMap(maxTasks: maxTasks) { item in
        let inner = sources.make(item)
        #expect(sources.active <= maxTasks)
        return inner
      }
      let outcome = await randomOutcome(&random, merged)
      if outcome.isWhole {
        #expect(outcome.elements.count == sources.inner.reduce(0) { $0 + $1.count })
        #expect(sources.inner.allSatisfy { $0.failure == nil }, "a failure is lost")
      }
      await expectEnd(outcome, sources)
    }
  }

  @Test func switchingToTheLatest() async {
    await withRandomSchedules { random in
      let sources = Sources(&random)
      let outcome = await randomOutcome(&random, sources.base.flatMapLatest { sources.make($0) })
      let order = outcome.elements.map(\.base)
      #expect(zip(order, order.dropFirst()).allSatisfy { $0 <= $1 }, "an element of a sequence that had been replaced")
      if outcome.isWhole, let last = sources.inner.last {
        #expect(order.count { $0 == last.base } == last.count && last.failure == nil)
      }
      await expectEnd(outcome, sources)
    }
  }

  @Test func keepingTheFirst() async {
    await withRandomSchedules { random in
      let sources = Sources(&random)
      let kept = sources.base.flatMapFirst { item in
        let inner = sources.make(item)
        #expect(sources.active <= 1)
        return inner
      }
      let outcome = await randomOutcome(&random, kept)
      let order = outcome.elements.map(\.base)
      #expect(zip(order, order.dropFirst()).allSatisfy { $0 <= $1 })
      if outcome.isWhole {
        for source in sources.inner where source.begun.value > 0 {
          #expect(order.count { $0 == source.base } == source.count && source.failure == nil)
        }
        #expect(sources.inner.isEmpty || sources.made.value > 0)
      }
      await expectEnd(outcome, sources)
    }
  }
}
