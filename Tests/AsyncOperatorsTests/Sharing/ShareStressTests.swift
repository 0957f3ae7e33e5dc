import AsyncOperators
import InterflowTestSupport
import Testing

/// Shared sequences over a base whose elements come at random moments, with consumers that join, leave, break and are
/// cancelled.
@Suite struct ShareStressTests {
  @Test func sharing() async {
    await withRandomSchedules { random in
      let limit = Int.random(in: 0...4, using: &random)
      await stress(&random, loses: false) { $0.share(bufferingPolicy: .bounded(limit)) }
    }
  }

  @Test func sharingWithoutALimit() async {
    await withRandomSchedules { random in
      await stress(&random, loses: false) { $0.share(bufferingPolicy: .unbounded) }
    }
  }

  @Test func sharingWithLosses() async {
    await withRandomSchedules { random in
      let limit = Int.random(in: 1...4, using: &random)
      let keepsLatest = Bool.random(using: &random)
      await stress(&random, loses: true) {
        $0.share(bufferingPolicy: keepsLatest ? .bufferingLatest(limit) : .bufferingOldest(limit))
      }
    }
  }

  @Test func replaying() async {
    await withRandomSchedules { random in
      let count = Int.random(in: 1...4, using: &random)
      let limit = Int.random(in: 0...4, using: &random)
      await stress(&random, loses: false, replay: count) { $0.share(replay: count, bufferingPolicy: .bounded(limit)) }
    }
  }

  @Test func connectingAutomatically() async {
    await withRandomSchedules { random in
      let base = RandomSource(&random, base: 0, counts: 0...30)
      let seeds = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.next() }
      do {
        let shared = base.multicast(AsyncPassthroughSubject<RandomSource.Item, TestError>()).autoconnect()
        await withTaskGroup(of: Void.self) { group in
          for seed in seeds {
            group.addTask {
              var random = Random(seed)
              let outcome = await randomOutcome(&random, shared)
              #expect(outcome.failure == nil || outcome.failure == base.failure)
            }
          }
        }
      }
      if base.taken.value > 0 { await base.released.wait() }
    }
  }

  private func stress(
    _ random: inout Random, loses: Bool, replay: Int = 0,
    _ make: (RandomSource) -> AsyncShareSequence<RandomSource.Item, TestError>
  ) async {
    let base = RandomSource(&random, base: 0, counts: 0...30)
    let seeds = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.next() }
    do {
      let shared = make(base)
      await withTaskGroup(of: Void.self) { group in
        for seed in seeds {
          group.addTask { await consume(shared, seed: seed, base, loses: loses, replay: replay) }
        }
      }
    }
    // An iterator that has not been used is released with the last consumer, and the next one makes another.
    await expectReleased([base])
    #expect(base.taken.value <= base.count, "the base was iterated twice")
  }

  private func consume(
    _ shared: AsyncShareSequence<RandomSource.Item, TestError>, seed: UInt64, _ base: RandomSource, loses: Bool,
    replay: Int
  ) async {
    var random = Random(seed)
    await randomPause(&random, isolation: nil)
    let outcome = await randomOutcome(&random, shared)
    let numbers = outcome.elements.map(\.number)
    let steps = zip(numbers, numbers.dropFirst())
    #expect(steps.allSatisfy { loses ? $0 < $1 : $1 == $0 + 1 }, "lost, twice or out of order")
    if !outcome.wasStopped {
      #expect(outcome.failure == base.failure, "the end is wrong")
      if !loses, let last = numbers.last { #expect(last == base.count - 1, "the last are lost") }
      if replay > 0 { #expect(numbers.count >= min(replay, base.count), "not all was replayed") }
    }
  }
}
