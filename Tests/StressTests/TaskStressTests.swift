import Interflow
import Testing

/// `task(maxPublishers:buffering:)`.
@Suite(.timeLimit(.minutes(20))) struct TaskStressTests {
  private enum Fate: CaseIterable { case drain, leave, cancel, taskFails, upstreamFails }

  @Test(arguments: StressKind.allCases) func task(_ kind: StressKind) async {
    await stress("task(maxPublishers:)", kind) { world in Self.run(world, buffering: nil) }
  }

  @Test(arguments: StressKind.allCases) func taskWithABuffer(_ kind: StressKind) async {
    await stress("task(maxPublishers:buffering:)", kind) { world in
      let agent = world.agent("policy")
      let size = agent.number(0...3)
      let policy = [BufferingPolicy.unbounded, .bufferingOldest(size), .bufferingNewest(size)][agent.number(0...2)]
      Self.run(world, buffering: policy)
    }
  }

  private static func run(_ world: World, buffering: BufferingPolicy?) {
    let agent = world.agent("world")
    let fate = Fate.allCases[agent.number(0...4)]
    let (count, limit) = (agent.number(0...6), agent.number(1...3))
    let isUnlimited = agent.once(in: 4)
    let fatal = fate == .taskFails ? agent.number(0...5) : -1
    let leavesAfter = fate == .leave ? agent.number(1...3) : .max
    let source = Source<TestError>(
      world, count: count, ending: fate == .upstreamFails ? .failure(TestError("upstream")) : .finished,
      mayHold: isUnlimited || buffering != nil ? .max : limit)
    let probe = Probe<Item.Origin, TestError>(world, leavesAfter: leavesAfter) { $0 }
    let running = Shared(0)
    let worker = world.agent("worker")
    let token = world.counter.make()
    source.task(maxPublishers: isUnlimited ? .unlimited : .max(limit), buffering: buffering) {
      (item) throws(TestError) in
      token.touch()
      let now = running.update {
        $0 += 1
        return $0
      }
      worker.note("works on", item.number)
      world.check(isUnlimited || now <= limit, "\(now) run where \(limit) may")
      await worker.pause()
      running.update { $0 -= 1 }
      if item.number == fatal { throw TestError("task") }
      return item.origin
    }.subscribe(probe)
    source.spawnPumps(agent.number(1...2))
    for index in 0..<agent.number(1...2) {
      world.spawn("asker \(index)") { agent in
        for _ in 0..<agent.number(0...3) {
          probe.request(.max(agent.number(1...2)))
          await agent.pause()
        }
        if fate == .cancel, index == 0 { probe.cancel() } else { probe.request(.unlimited) }
      }
    }

    world.settles { probe.isOver && running.value == 0 }
    world.atEnd {
      let numbers = probe.origins.map(\.number)
      world.check(Set(numbers).count == numbers.count, "a result came twice: \(numbers)")
      world.check(numbers.allSatisfy { (0..<count).contains($0) }, "a result came of nothing: \(numbers)")
      if limit == 1, !isUnlimited { world.check(numbers.isAscending, "out of order: \(numbers)") }
      world.check(probe.completions.count <= 1, "there are \(probe.completions.count) ends")
      let losesNone = buffering == nil || buffering == .unbounded
      switch fate {
      case .drain:
        if losesNone { world.check(numbers.count == count, "\(numbers.count) results of \(count) came") }
        world.check(probe.hasFinished, "the end did not come")
      case .upstreamFails:
        world.check(probe.completions.count == 1 && !probe.hasFinished, "the failure is lost")
      case .taskFails where fatal < count && losesNone:
        world.check(probe.completions.count == 1 && !probe.hasFinished, "the failure is lost")
      case .cancel, .leave, .taskFails:
        break
      }
    }
  }
}
