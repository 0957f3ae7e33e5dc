import Interflow
import Testing

/// `task(maxPublishers:buffering:)`.
@Suite struct TaskStressTests {
  @Test(arguments: StressKind.allCases) func task(_ kind: StressKind) async {
    await stress("task(maxPublishers:)", kind) { world in Self.run(world, buffering: nil) }
  }

  @Test(arguments: StressKind.allCases) func taskWithABuffer(_ kind: StressKind) async {
    await stress("task(maxPublishers:buffering:)", kind) { world in
      Self.run(world, buffering: world.participant("policy").bufferingPolicy())
    }
  }

  private static func run(_ world: World, buffering: BufferingPolicy?) {
    let scene = TaskScene(world, buffering: buffering, mayBeUnlimited: true)
    let (probe, count) = (scene.probe, scene.count)
    scene.play { source, work in
      source.task(maxPublishers: scene.limit.map { .max($0) } ?? .unlimited, buffering: buffering, work)
    }
    world.atEnd {
      let numbers = probe.origins.map(\.number)
      world.check(Set(numbers).count == numbers.count, "a result came twice: \(numbers)")
      world.check(numbers.allSatisfy { (0..<count).contains($0) }, "a result came of nothing: \(numbers)")
      if scene.limit == 1 { world.check(numbers.isAscending, "out of order: \(numbers)") }
      world.check(probe.completions.count <= 1, "there are \(probe.completions.count) ends")
      switch scene.outcome {
      case .drain:
        if scene.losesNone { world.check(numbers.count == count, "\(numbers.count) results of \(count) came") }
        world.check(probe.hasFinished, "the end did not come")
      case .upstreamFails:
        world.check(probe.completions.count == 1 && !probe.hasFinished, "the failure is lost")
      case .taskFails where scene.fatal < count && scene.losesNone:
        world.check(probe.completions.count == 1 && !probe.hasFinished, "the failure is lost")
      case .cancel, .leave, .taskFails:
        break
      }
    }
  }
}
