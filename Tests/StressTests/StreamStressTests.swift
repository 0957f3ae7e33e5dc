import Interflow
import InterflowTestSupport
import Testing

/// `asyncStream` with each policy, and `firstValue()`.
@Suite struct StreamStressTests {
  private enum Outcome: CaseIterable { case drain, leave, cancelTask, cancelStream }

  @Test(arguments: StressKind.allCases) func unbounded(_ kind: StressKind) async {
    await stress("asyncStream, unbounded", kind) { world in Self.run(world) { _ in .unbounded } }
  }

  @Test(arguments: StressKind.allCases) func bufferingOldest(_ kind: StressKind) async {
    await stress("asyncStream, oldest", kind) { world in Self.run(world) { .bufferingOldest($0) } }
  }

  @Test(arguments: StressKind.allCases) func bufferingNewest(_ kind: StressKind) async {
    await stress("asyncStream, newest", kind) { world in Self.run(world) { .bufferingNewest($0) } }
  }

  private static func run(_ world: World, _ policy: (Int) -> BufferingPolicy) {
    let participant = world.participant("world")
    let outcome = Outcome.allCases[participant.number(0...3)]
    let policy = policy(participant.number(0...3))
    let (count, consumers) = (participant.number(0...8), participant.number(1...2))
    let fails = participant.once(in: 3)
    // Without an end where something else ends the loops.
    let isEndless = outcome == .cancelTask || outcome == .cancelStream
    let ending: Subscribers.Completion<TestError>? =
      isEndless && participant.once(in: 2) ? nil : fails ? .failure(TestError()) : .finished
    let source = Source<TestError>(world, count: count, ending: ending)
    let collected = CollectedResults()
    let most = outcome == .leave ? participant.number(0...count) : .max
    let dropped = Shared(0)
    do {
      let stream = source.asyncStream(bufferingPolicy: policy)
      let iterator = UncheckedBox(stream.makeAsyncIterator())
      for index in 0..<consumers {
        let task = world.spawn("consumer \(index)") { participant in
          await take(index == 0 ? most : .max, from: iterator, world, participant, into: collected)
          dropped.update { $0 = max($0, stream.droppedCount) }
        }
        guard index == 0, isEndless else { continue }
        world.spawn("canceller") { participant in
          for _ in 0..<participant.number(0...3) { await participant.pause() }
          participant.note("cancels")
          if outcome == .cancelTask { task.cancel() } else { stream.cancel() }
        }
      }
    }
    source.spawnSenders(participant.number(1...2))

    world.atEnd {
      let numbers = collected.numbers
      let dropped = dropped.value
      world.check(Set(numbers).count == numbers.count, "a value came out twice: \(collected.taken)")
      world.check(numbers.count + dropped <= count, "\(dropped) were dropped of \(count), and \(numbers) came out")
      world.check(collected.taken.allSatisfy { $0.map(\.number).isAscending }, "out of order: \(collected.taken)")
      world.check(source.isOver, "the publisher was neither cancelled nor has it completed")
      if policy == .unbounded {
        world.check(dropped == 0, "\(dropped) values were dropped")
        world.check(numbers == Array(0..<numbers.count), "values out are no prefix of those in: \(collected.taken)")
      }
      if outcome == .drain || outcome == .leave && consumers > 1 {
        world.check(numbers.count + dropped == count, "\(numbers.count) of \(count) came out, \(dropped) dropped")
        world.check(collected.failures == (fails ? 1 : 0), "\(collected.failures) failures came out")
      }
    }
  }

  @Test(arguments: StressKind.allCases) func firstValue(_ kind: StressKind) async {
    await stress("firstValue", kind) { world in
      let participant = world.participant("world")
      let count = participant.number(0...2)
      let fails = participant.once(in: 2)
      let isCancelled = participant.once(in: 2)
      let ending: Subscribers.Completion<TestError>? =
        isCancelled && participant.once(in: 2) ? nil : fails ? .failure(TestError()) : .finished
      let source = Source<TestError>(world, count: count, ending: ending, mayHold: 1)
      let task = world.spawn("consumer") { participant in
        do {
          let value = try await source.firstValue()
          participant.note("gets", value?.number)
          world.check(value == nil || value?.number == 0, "the first value is \(value!.number)")
          let isThere = count > 0 || ending == nil && !isCancelled
          world.check(value != nil || !isThere || isCancelled, "there is no first value")
          world.check(value != nil || isCancelled || !fails, "the failure is lost")
        } catch {
          world.check(fails && count == 0, "there is a failure in place of a value")
        }
      }
      if isCancelled {
        world.spawn("canceller") { participant in
          await participant.pause()
          participant.note("cancels")
          task.cancel()
        }
      }
      source.spawnSenders()
      world.atEnd {
        world.check(source.isOver, "the publisher was neither cancelled nor has it completed")
        world.check(source.delivered <= 1, "\(source.delivered) values were delivered")
      }
    }
  }
}
