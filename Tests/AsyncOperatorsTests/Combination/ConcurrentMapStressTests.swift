import AsyncOperators
import InterflowTestSupport
import Testing

/// Closures that run at the same time, of which some fail, some ignore their cancellation, and consumers that stop.
@Suite struct ConcurrentMapStressTests {
  private typealias Item = RandomSource.Item

  /// What the closures have done.
  private struct Calls: Sendable {
    let begun = Shared(0)
    let running = Shared(0)
    let released = Signal()
    let seed: UInt64
    /// The number of the element whose closure fails, if there is one.
    let failing: Int?
    let limit: Int

    init(_ random: inout Random) {
      seed = random.next()
      failing = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 0...8, using: &random) : nil
      limit = Int.random(in: 1...4, using: &random)
    }

    @Sendable func run(_ item: Item) async throws(TestError) -> Item {
      begun.update { $0 += 1 }
      let now = running.update {
        $0 += 1
        return $0
      }
      #expect(now <= limit)
      var random = Random(seed &+ UInt64(item.number))
      await randomPause(&random, isolation: nil)
      running.update { $0 -= 1 }
      released.fire()
      if item.number == failing { throw TestError("closure") }
      return item
    }
  }

  /// No closure runs longer than the operator, and what has not been delivered was not too far ahead.
  private func expectEnd(_ outcome: RandomOutcome<Item>, _ source: RandomSource, _ calls: Calls) async {
    if let failure = outcome.failure { #expect(failure == source.failure || failure == TestError("closure")) }
    if outcome.isWhole { #expect(outcome.elements.count == source.count && source.failure == nil) }
    #expect(source.taken.value <= outcome.elements.count + calls.limit + 1)
    await expectReleased([source])
    await calls.released.wait(calls.begun.value)
  }

  @Test func inOrder() async {
    await withRandomSchedules { random in
      let source = RandomSource(&random, base: 0)
      let calls = Calls(&random)
      let outcome = await randomOutcome(&random, source.concurrentMap(maxTasks: calls.limit, calls.run))
      expectContiguous(outcome.elements)
      if outcome.failure == TestError("closure") { #expect(outcome.elements.count == calls.failing) }
      if outcome.failure == source.failure, outcome.failure != nil { #expect(outcome.elements.count == source.count) }
      if outcome.isWhole { #expect(calls.failing.map { $0 >= source.count } ?? true, "a failure is lost") }
      await expectEnd(outcome, source, calls)
    }
  }

  @Test func asTheyAreReady() async {
    await withRandomSchedules { random in
      let source = RandomSource(&random, base: 0)
      let calls = Calls(&random)
      let outcome = await randomOutcome(&random, source.task(maxTasks: calls.limit, calls.run))
      #expect(Set(outcome.elements).count == outcome.elements.count, "twice")
      if outcome.isWhole { #expect(calls.failing.map { $0 >= source.count } ?? true, "a failure is lost") }
      await expectEnd(outcome, source, calls)
    }
  }
}
