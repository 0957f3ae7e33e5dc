import Foundation
import InterflowTestSupport
import Testing

/// The ways in which a scenario is run.
enum StressKind: String, CaseIterable, Sendable {
  /// One thread, on which a seed decides which task runs next: a failing seed fails again.
  case schedules
  /// Several threads at once, which a seed makes hesitate here and there.
  case threads

  /// How many runs there are: on threads, which take longer, fewer; under ThreadSanitizer threads are what counts, and
  /// one thread races with nothing.
  fileprivate var runs: Int {
    switch self {
    case .schedules: hasThreadSanitizer ? max(1, stressRuns / 10) : stressRuns
    case .threads: max(1, stressRuns / (hasThreadSanitizer ? 2 : 10))
    }
  }
}

/// Runs a scenario with one seed after another, until one fails.
///
/// The environment variable `INTERFLOW_STRESS_SEED` names the first seed, which is then the only one unless
/// `INTERFLOW_STRESS_RUNS` says how many there are.
func stress(
  _ name: String, _ kind: StressKind, sourceLocation: SourceLocation = #_sourceLocation,
  _ scenario: @escaping @Sendable (World) -> Void
) async {
  let report = await withCheckedContinuation { continuation in
    // A thread of its own: neither run may keep the threads of the global executor waiting.
    Thread {
      let report = runs(of: name, kind, scenario)
      continuation.resume(returning: report)
    }.start()
  }
  if let report { Issue.record(Comment(rawValue: report), sourceLocation: sourceLocation) }
}

private func runs(of name: String, _ kind: StressKind, _ scenario: @Sendable (World) -> Void) -> String? {
  let seed = environmentNumber("INTERFLOW_STRESS_SEED")
  let count = seed == nil ? kind.runs : environmentNumber("INTERFLOW_STRESS_RUNS") ?? 1
  let first = UInt64(seed ?? 1)
  let threads = kind == .threads ? ThreadedExecutor(threads: 3) : nil
  defer { threads?.shutDown() }
  let note = CrashNote()
  for seed in first..<(first + UInt64(count)) {
    note.set("\(name), \(kind): INTERFLOW_STRESS_SEED=\(seed)")
    let world =
      if let threads { run(scenario, onThreads: threads, seed) } else { run(scenario, scheduledBy: seed) }
    if let report = world.report(name) { return report }
  }
  return nil
}

private func run(_ scenario: (World) -> Void, scheduledBy seed: UInt64) -> World {
  let executor = SeededExecutor(seed: seed)
  let world = World(seed: seed, executor: executor, isThreaded: false)
  executor.run { scenario(world) }
  if let failure = executor.failure { world.fail(failure) }
  world.close()
  return world
}

private func run(_ scenario: (World) -> Void, onThreads executor: ThreadedExecutor, _ seed: UInt64) -> World {
  executor.reseed(seed)
  let world = World(seed: seed, executor: executor, isThreaded: true)
  scenario(world)
  world.waitForParticipants()
  world.close()
  return world
}
