import Interflow
import InterflowTestSupport
import Testing

/// The sequences that ask a publisher for values: `values` and `asyncValues`.
@Suite struct PullStressTests {
  @Test(arguments: StressKind.allCases) func values(_ kind: StressKind) async {
    await stress("values", kind) { world in
      Self.pull(world, endings: [.finished]) { source, _ in source.values.makeAsyncIterator() }
    }
  }

  @Test(arguments: StressKind.allCases) func throwingValues(_ kind: StressKind) async {
    await stress("values that may throw", kind) { world in
      Self.pull(world, endings: [.finished, .failure(TestError())]) { source, _ in source.values.makeAsyncIterator() }
    }
  }

  @Test(arguments: StressKind.allCases) func asyncValues(_ kind: StressKind) async {
    await stress("asyncValues", kind) { world in
      Self.pull(world, endings: [.finished, .failure(TestError())]) { source, _ in
        source.asyncValues.makeAsyncIterator()
      }
    }
  }

  @Test(arguments: StressKind.allCases) func asyncValuesWithPrefetch(_ kind: StressKind) async {
    await stress("asyncValues(prefetch:)", kind) { world in
      Self.pull(world, prefetch: 2...5, endings: [.finished, .failure(TestError())]) { source, prefetch in
        source.asyncValues(prefetch: prefetch).makeAsyncIterator()
      }
    }
  }

  @Test(arguments: StressKind.allCases) func severalIteratorsOfAsyncValues(_ kind: StressKind) async {
    await stress("several iterators of asyncValues", kind) { world in
      let participant = world.participant("world")
      let (count, prefetch) = (participant.number(0...6), participant.number(1...3))
      let values = EachSource<TestError> {
        let source = Source<TestError>(world, count: count, ending: .finished, mayHold: prefetch)
        source.spawnSenders()
        return source
      }.asyncValues(prefetch: prefetch)
      for _ in 0..<2 {
        let collected = CollectedResults()
        world.spawn("consumer") { participant in
          let iterator = UncheckedBox(values.makeAsyncIterator())
          await take(.max, from: iterator, world, participant, into: collected)
          world.check(collected.numbers == Array(0..<count), "an iterator of two gave \(collected.numbers) of \(count)")
        }
      }
    }
  }

  /// One to three consumers of one iteration, which all may share.
  private static func pull<Iterator: AsyncIteratorProtocol & SendableMetatype, Failure: Error>(
    _ world: World, prefetch: ClosedRange<Int> = 1...1, endings: [Subscribers.Completion<Failure>],
    _ makeIterator: (Source<Failure>, _ prefetch: Int) -> Iterator
  ) where Iterator.Element == Item {
    let participant = world.participant("world")
    let (outcome, prefetch) = (participant.outcome(), participant.number(prefetch))
    let (count, consumers) = (participant.number(0...8), participant.number(1...3))
    let ending =
      outcome == .cancel && participant.once(in: 2) ? nil : endings[participant.number(0...endings.count - 1)]
    // Every consumer that waits may ask for a batch of its own.
    let source = Source<Failure>(world, count: count, ending: ending, mayHold: prefetch + consumers)
    let collected = CollectedResults()
    let iterator = UncheckedBox(makeIterator(source, prefetch))
    let most = outcome == .leave ? participant.number(0...count) : .max
    participant.note(
      outcome == .drain ? "drains" : outcome == .leave ? "leaves after" : "cancels", most == .max ? nil : most)
    for index in 0..<consumers {
      let task = world.spawn("consumer \(index)") { participant in
        await take(index == 0 ? most : .max, from: iterator, world, participant, into: collected)
      }
      guard index == 0, outcome == .cancel else { continue }
      world.spawn("canceller") { participant in
        for _ in 0..<participant.number(0...3) { await participant.pause() }
        participant.note("cancels")
        task.cancel()
      }
    }
    source.spawnSenders()

    world.atEnd {
      let numbers = collected.numbers
      world.check(numbers == Array(0..<numbers.count), "values out are no prefix of those in: \(collected.taken)")
      world.check(collected.taken.allSatisfy { $0.map(\.number).isAscending }, "out of order: \(collected.taken)")
      world.check(source.isOver, "the publisher was neither cancelled nor has it completed")
      let fails = if case .failure = ending { true } else { false }
      let isWhole = outcome == .drain || (outcome == .leave && consumers > 1)
      if isWhole {
        world.check(numbers.count == count, "\(numbers.count) values of \(count) came out")
        world.check(collected.failures == (fails ? 1 : 0), "\(collected.failures) failures came out")
        world.check(source.cancellations == 0, "a publisher that completed was cancelled")
      } else {
        world.check(collected.failures <= (fails ? 1 : 0), "\(collected.failures) failures came out")
        if outcome == .leave { world.check(numbers.count == most, "\(numbers.count) values came out, not \(most)") }
      }
    }
  }
}
