import InterflowTestSupport

/// Work on items that takes its time, and sees how much of it is done at once.
final class Work: Sendable {
  private struct State {
    var running = 0
    var done: [Int] = []
  }

  private let world: World
  private let participant: Participant
  private let limit: Int
  private let fatal: Int
  private let state = Shared(State())

  /// - Parameter fatal: The number of the item that the work fails on.
  init(_ world: World, limit: Int, fatal: Int = -1) {
    self.world = world
    self.limit = limit
    self.fatal = fatal
    participant = world.participant("worker")
  }

  /// How much is at work now.
  var running: Int { state.value.running }
  /// The items worked on, in the order in which the work was done.
  var done: [Int] { state.value.done }

  func run(_ item: Item) async throws(TestError) {
    let running = state.update {
      $0.running += 1
      return $0.running
    }
    participant.note("works on", item.number)
    // Which is nobody else's business.
    if participant.once(in: 8) { withUnsafeCurrentTask { $0?.cancel() } }
    world.check(running <= limit, "\(running) run where \(limit) may")
    await participant.pause()
    state.update {
      $0.running -= 1
      $0.done.append(item.number)
    }
    if item.number == fatal { throw TestError("task") }
  }
}
