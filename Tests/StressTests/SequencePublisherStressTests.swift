import Interflow
import InterflowTestSupport
import Testing

/// Asynchronous sequences as publishers.
@Suite struct SequencePublisherStressTests {
  private enum Outcome { case drain, leave, cancel, drop }

  @Test(arguments: StressKind.allCases) func sequencePublisher(_ kind: StressKind) async {
    await stress("sequence.publisher", kind) { world in
      let participant = world.participant("world")
      let count = participant.number(0...6)
      let outcome = [Outcome.drain, .leave, .cancel, .drop][participant.number(0...3)]
      let failure = participant.once(in: 3) ? TestError() : nil
      let leavesAfter = outcome == .leave ? participant.number(1...3) : .max
      let initial = [Subscribers.Demand.none, .max(1), .max(3), .unlimited][participant.number(0...3)]
      let probe = Probe<Item, TestError>(world, initial: initial, leavesAfter: leavesAfter) { $0.origin }
      let sequence = ScriptedSequence<TestError>(
        world: world, participant: world.participant("sequence"), count: count, failure: failure,
        heedsCancellation: participant.once(in: 2),
        onPull: { [unowned probe] index in
          // Unowned, and still there: a pull after the end of the run would be a defect.
          world.check(probe.requested > index, "element \(index) was pulled with demand for \(probe.requested)")
        })
      sequence.publisher.subscribe(probe)

      for index in 0..<participant.number(1...3) {
        world.spawn("asker \(index)") { participant in
          for _ in 0..<participant.number(0...3) {
            probe.request(.max(participant.number(1...2)))
            await participant.pause()
          }
          switch outcome {
          case .drop: probe.drop()
          case .cancel where index == 0: probe.cancel()
          default: probe.request(.unlimited)
          }
        }
      }

      if outcome != .drop { world.settles { probe.isOver } }
      world.atEnd {
        let numbers = probe.origins.map(\.number)
        world.check(numbers == Array(0..<numbers.count), "values out are no prefix of those in: \(numbers)")
        world.check(probe.completions.count <= 1, "there are \(probe.completions.count) ends")
        guard outcome == .drain || outcome == .leave && count < leavesAfter else { return }
        world.check(numbers.count == count, "\(numbers.count) values of \(count) came out")
        world.check(probe.completions.count == 1, "the end did not come")
        world.check(probe.hasFinished == (failure == nil), "it is the wrong end")
      }
    }
  }
}
