import AsyncOperators
import InterflowTestSupport
import Testing

/// Operators with a task, over a base whose elements come at random moments, with consumers that are slow, stop or are
/// cancelled.
@Suite struct ShapingStressTests {
  @Test func buffering() async {
    await withRandomSchedules { random in
      let base = RandomSource(&random, base: 0, counts: 0...40)
      let limit = Int.random(in: 0...20, using: &random)
      let policy = Bool.random(using: &random) ? AsyncBufferSequencePolicy.bounded(limit) : .unbounded
      let outcome = await randomOutcome(&random, base.buffer(policy: policy))
      #expect(outcome.elements.map(\.number) == Array(0..<outcome.elements.count), "lost, twice or out of order")
      if !outcome.wasStopped {
        #expect(outcome.elements.count == base.count && outcome.failure == base.failure)
      }
      if base.taken.value > 0 { await base.released.wait() }
    }
  }

  @Test func bufferingWithLosses() async {
    await withRandomSchedules { random in
      let base = RandomSource(&random, base: 0, counts: 0...40)
      let limit = Int.random(in: 1...5, using: &random)
      let keepsLatest = Bool.random(using: &random)
      let policy = keepsLatest ? AsyncBufferSequencePolicy.bufferingLatest(limit) : .bufferingOldest(limit)
      let outcome = await randomOutcome(&random, base.buffer(policy: policy))
      let numbers = outcome.elements.map(\.number)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "twice or out of order")
      if !outcome.wasStopped {
        #expect(outcome.failure == base.failure)
        if keepsLatest, base.count > 0 { #expect(numbers.last == base.count - 1) }
      }
      if base.taken.value > 0 { await base.released.wait() }
    }
  }

  @Test func chunkingBySignal() async {
    await withRandomSchedules { random in
      let base = RandomSource(&random, base: 0, counts: 0...40)
      var signal = RandomSource(&random, base: 1, counts: 0...10)
      signal.failure = nil
      let outcome = await randomOutcome(&random, base.chunks(ofCount: 5, or: signal))
      let numbers = outcome.elements.flatMap { $0.map(\.number) }
      #expect(numbers == Array(0..<numbers.count), "lost, twice or out of order")
      #expect(outcome.elements.allSatisfy { (1...5).contains($0.count) })
      if !outcome.wasStopped {
        #expect(outcome.failure == base.failure)
        if base.failure == nil { #expect(numbers.count == base.count) }
      }
      if base.taken.value > 0 { await base.released.wait() }
      if signal.taken.value > 0 { await signal.released.wait() }
    }
  }

  @Test func debouncing() async {
    await withRandomSchedules { random in
      let base = RandomSource(&random, base: 0, counts: 0...40)
      let interval = Duration.microseconds(Int.random(in: 0...200, using: &random))
      let outcome = await randomOutcome(&random, base.debounce(for: interval))
      let numbers = outcome.elements.map(\.number)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "twice or out of order")
      if !outcome.wasStopped {
        #expect(outcome.failure == base.failure)
        if base.failure == nil, base.count > 0 { #expect(numbers.last == base.count - 1) }
      }
      if base.taken.value > 0 { await base.released.wait() }
    }
  }
}
