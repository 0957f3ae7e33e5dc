import Interflow
import InterflowTestSupport
import Testing

/// Asynchronous sequences as publishers.
@Suite(.timeLimit(.minutes(60))) struct SequencePublisherStressTests {
  private enum Outcome { case drain, leave, cancel, drop }

  @Test(arguments: StressKind.allCases) func sequencePublisher(_ kind: StressKind) async {
    await stress("sequence.publisher", kind) { world in
      let agent = world.agent("world")
      let count = agent.number(0...6)
      let fate = [Outcome.drain, .leave, .cancel, .drop][agent.number(0...3)]
      let failure = agent.once(in: 3) ? TestError() : nil
      let leavesAfter = fate == .leave ? agent.number(1...3) : .max
      let initial = [Subscribers.Demand.none, .max(1), .max(3), .unlimited][agent.number(0...3)]
      let probe = Probe<Item, TestError>(world, initial: initial, leavesAfter: leavesAfter) { $0.origin }
      let sequence = ScriptedSequence<TestError>(
        world: world, agent: world.agent("sequence"), count: count, failure: failure,
        heedsCancellation: agent.once(in: 2),
        onPull: { [unowned probe] index in
          // Unowned, and still there: a pull after the end of the run would be a defect.
          world.check(probe.requested > index, "element \(index) was pulled with demand for \(probe.requested)")
        })
      sequence.publisher.subscribe(probe)

      for index in 0..<agent.number(1...3) {
        world.spawn("asker \(index)") { agent in
          for _ in 0..<agent.number(0...3) {
            probe.request(.max(agent.number(1...2)))
            await agent.pause()
          }
          switch fate {
          case .drop: probe.drop()
          case .cancel where index == 0: probe.cancel()
          default: probe.request(.unlimited)
          }
        }
      }

      if fate != .drop { world.settles { probe.isOver } }
      world.atEnd {
        let numbers = probe.origins.map(\.number)
        world.check(numbers == Array(0..<numbers.count), "values out are no prefix of those in: \(numbers)")
        world.check(probe.completions.count <= 1, "there are \(probe.completions.count) ends")
        guard fate == .drain || fate == .leave && count < leavesAfter else { return }
        world.check(numbers.count == count, "\(numbers.count) values of \(count) came out")
        world.check(probe.completions.count == 1, "the end did not come")
        world.check(probe.hasFinished == (failure == nil), "it is the wrong end")
      }
    }
  }
}
