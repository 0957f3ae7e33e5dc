import Foundation
import InterflowTestSupport
import Testing

/// One run of a scenario: who acts in it, what they did, what they did wrong, and what is still alive.
final class World: Sendable {
  private struct State {
    var participants: [Participant] = []
    var running: [Int: String] = [:]
    var failures: [String] = []
    var settled: [@Sendable () -> Bool] = []
    var checks: [@Sendable () -> Void] = []
  }

  let seed: UInt64
  /// Whether the run is one of real threads, so that it is not told apart what comes before what on two of them.
  let isThreaded: Bool
  let counter = LifetimeCounter()
  private let executor: any TaskExecutor
  private let state = Shared(State())
  private let clock = Shared(0)
  private let allEnded = DispatchSemaphore(value: 0)

  init(seed: UInt64, executor: any TaskExecutor, isThreaded: Bool) {
    self.seed = seed
    self.executor = executor
    self.isThreaded = isThreaded
  }

  // MARK: For scenarios

  /// Somebody whose choices are random and whose actions are in the trace.
  func participant(_ name: String) -> Participant {
    state.update {
      let participant = Participant(name, seed: seed &* 0x9E37_79B9 &+ UInt64($0.participants.count), clock)
      $0.participants.append(participant)
      return participant
    }
  }

  /// Starts a task that acts. The run is not over before it has returned, and has failed if it never does.
  @discardableResult
  func spawn(_ name: String, _ act: @escaping @Sendable (Participant) async -> Void) -> Task<Void, Never> {
    let participant = participant(name)
    let id = state.update {
      let id = $0.participants.count
      $0.running[id] = name
      return id
    }
    let task = Task(executorPreference: executor) {
      await participant.pause()
      await act(participant)
      participant.note("ends")
      if !self.isThreaded { self.ended(id) }
    }
    // On threads, what a task's closure holds may be released after its last line; not so after its end.
    if isThreaded {
      Task {
        await task.value
        self.ended(id)
      }
    }
    return task
  }

  private func ended(_ id: Int) {
    let isLast = state.update {
      $0.running[id] = nil
      return $0.running.isEmpty
    }
    if isLast { allEnded.signal() }
  }

  /// Says what comes true when everybody has ended, by the work of tasks that nobody can wait for.
  func settles(_ condition: @escaping @Sendable () -> Bool) { state.update { $0.settled.append(condition) } }

  /// Says what must hold when everybody has ended and everything has settled.
  func atEnd(_ check: @escaping @Sendable () -> Void) { state.update { $0.checks.append(check) } }

  func check(_ condition: Bool, _ failure: @autoclosure () -> String) {
    if !condition { fail(failure()) }
  }

  func fail(_ failure: String) {
    state.update { if $0.failures.count < 10 { $0.failures.append(failure) } }
  }

  /// A value that is seen to be released.
  func item(_ number: Int, from sender: Int = 0) -> Item { Item(sender: sender, number: number, token: counter.make()) }

  // MARK: For those who run scenarios

  /// Waits for everybody to end, and fails if somebody does not in time, whatever comes later. The deadline only bounds
  /// how long a defect keeps the tests waiting.
  func waitForParticipants() {
    while !state.value.running.isEmpty {
      if allEnded.wait(timeout: .now() + 240) == .timedOut { return fail("not all had ended after four minutes") }
    }
  }

  /// Checks what must hold at the end, while everything that took part is still there.
  func close() {
    for name in state.value.running.values.sorted() { fail("\(name) never ended") }
    // They hold this world.
    let (settled, checks) = state.update { state in
      defer { (state.settled, state.checks) = ([], []) }
      return (state.settled, state.checks)
    }
    func hasSettled() -> Bool { settled.allSatisfy { $0() } && counter.count == 0 }
    if isThreaded, state.value.running.isEmpty {
      // The deadline only bounds how long a defect keeps the tests waiting.
      let deadline = Date.now + 120
      while !hasSettled() {
        if Date.now >= deadline {
          fail("not all had settled after two minutes")
          break
        }
        sched_yield()
      }
    }
    check(settled.allSatisfy { $0() }, "what had to happen has not")
    for check in checks { check() }
    check(counter.count == 0, "\(counter.count) of the values and closures are still alive")
  }

  /// What went wrong, and how it came to that; `nil` where nothing did.
  func report(_ scenario: String) -> String? {
    let state = state.value
    if state.failures.isEmpty { return nil }
    let trace = state.participants.flatMap(\.trace).sorted { $0.time < $1.time }
    return """
      \(scenario), \(isThreaded ? "threads" : "schedule") of seed \(seed):
        \(state.failures.joined(separator: "\n  "))
      Set INTERFLOW_STRESS_SEED=\(seed) to replay it. What happened:
        \(trace.map(\.description).joined(separator: "\n  "))
      """
  }
}

/// What is sent in a scenario.
struct Item: Sendable {
  let sender: Int
  let number: Int
  let token: LifetimeCounter.Token
}
