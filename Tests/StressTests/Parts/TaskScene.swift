import Interflow
import InterflowTestSupport

/// A publisher that runs tasks for the items of a source: its source, its subscriber, and what happens to it.
struct TaskScene {
  enum Outcome: CaseIterable { case drain, leave, cancel, taskFails, upstreamFails }

  let outcome: Outcome
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
  private let participant: Participant
  private let source: Source<TestError>
  private let work: Work

  init(_ world: World, buffering: BufferingPolicy?, mayBeUnlimited: Bool = false) {
    self.world = world
    participant = world.participant("world")
    outcome = Outcome.allCases[participant.number(0...4)]
    count = participant.number(0...6)
    limit = mayBeUnlimited && participant.once(in: 4) ? nil : participant.number(1...3)
    fatal = outcome == .taskFails ? participant.number(0...5) : -1
    losesNone = buffering == nil || buffering == .unbounded
    source = Source(
      world, count: count, ending: outcome == .upstreamFails ? .failure(TestError("upstream")) : .finished,
      mayHold: buffering == nil ? limit ?? .max : .max)
    probe = Probe(world, leavesAfter: outcome == .leave ? participant.number(1...3) : .max) { $0 }
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
    let (work, outcome, probe) = (work, outcome, probe)
    attach(source) { [token = world.counter.make()] item throws(TestError) in
      token.touch()
      try await work.run(item)
      return item.origin
    }.subscribe(probe)
    source.spawnSenders(participant.number(1...2))
    for index in 0..<participant.number(1...2) {
      world.spawn("asker \(index)") { participant in
        for _ in 0..<participant.number(0...3) {
          probe.request(.max(participant.number(1...2)))
          await participant.pause()
        }
        if outcome == .cancel, index == 0 { probe.cancel() } else { probe.request(.unlimited) }
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
