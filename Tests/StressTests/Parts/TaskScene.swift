import Interflow
import InterflowTestSupport

/// A publisher that runs tasks for the items of a source: what it stands on, who takes the results, and what happens to it.
struct TaskScene {
  enum Outcome: CaseIterable { case drain, leave, cancel, taskFails, upstreamFails }

  let fate: Outcome
  /// How many items the source has.
  let count: Int
  /// How many tasks may run at once; no number is too great where it is nil.
  let limit: Int?
  /// The number of the item whose task fails, if there is such an item.
  let fatal: Int
  /// Whether each item that is delivered gets a task.
  let losesNone: Bool
  let probe: Probe<Item.Origin, TestError>
  private let world: World
  private let agent: Participant
  private let source: Source<TestError>
  private let work: Work

  init(_ world: World, buffering: BufferingPolicy?, mayBeUnlimited: Bool = false) {
    self.world = world
    agent = world.agent("world")
    fate = Outcome.allCases[agent.number(0...4)]
    count = agent.number(0...6)
    limit = mayBeUnlimited && agent.once(in: 4) ? nil : agent.number(1...3)
    fatal = fate == .taskFails ? agent.number(0...5) : -1
    losesNone = buffering == nil || buffering == .unbounded
    source = Source(
      world, count: count, ending: fate == .upstreamFails ? .failure(TestError("upstream")) : .finished,
      mayHold: buffering == nil ? limit ?? .max : .max)
    probe = Probe(world, leavesAfter: fate == .leave ? agent.number(1...3) : .max) { $0 }
    work = Work(world, limit: limit ?? .max, fatal: fatal)
  }

  /// Subscribes to the publisher, and starts those who deliver, ask and cancel.
  ///
  /// - Parameter attach: Makes the publisher of the source and what its tasks do.
  func play(
    _ attach: (
      Source<TestError>, @escaping @Sendable (Item) async throws(TestError) -> Item.Origin
    ) -> some Publisher<Item.Origin, TestError>
  ) {
    let (work, fate, probe) = (work, fate, probe)
    attach(source) { [token = world.counter.make()] item throws(TestError) in
      token.touch()
      try await work.run(item)
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
    world.settles { probe.isOver && work.running == 0 }
  }
}

extension Participant {
  func bufferingPolicy() -> BufferingPolicy {
    let size = number(0...3)
    return [.unbounded, .bufferingOldest(size), .bufferingNewest(size)][number(0...2)]
  }
}
