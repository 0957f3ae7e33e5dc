import Foundation
import InterflowTestSupport

/// An executor whose jobs run when the test says so, on the test's thread.
final class ManualExecutor: SerialExecutor, @unchecked Sendable {  // `state` guards everything mutable.
  private struct State {
    var jobs: [UnownedJob] = []
    var thread: ObjectIdentifier?
  }

  private let state = Shared(State())

  /// How many jobs wait.
  var waiting: Int { state.value.jobs.count }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.update { $0.jobs.append(job) }
  }

  func checkIsolated() {
    precondition(state.value.thread == ObjectIdentifier(Thread.current), "the executor does not run on this thread")
  }

  /// Does something as if in a job.
  func perform<Result>(_ body: () -> Result) -> Result {
    state.value.thread = ObjectIdentifier(Thread.current)
    defer { state.value.thread = nil }
    return body()
  }

  /// Runs the job that has waited longest.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  func runOne() -> Bool {
    guard let job = state.update({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) else { return false }
    perform { job.runSynchronously(on: asUnownedSerialExecutor()) }
    return true
  }

  /// Runs jobs until there is none.
  ///
  /// - Returns: How many there were.
  @discardableResult
  func run() -> Int {
    var count = 0
    while runOne() { count += 1 }
    return count
  }
}

/// An actor on such an executor, which keeps what it gets.
actor Desk {
  nonisolated let executor = ManualExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private(set) var log: [String] = []

  func note(_ text: some Any) { log.append("\(text)") }

  /// Does something on the actor, at once.
  nonisolated func perform<Result: Sendable>(_ body: @escaping (isolated Desk) -> Result) -> Result {
    // Nothing else runs on the actor, nor on the caller, until this returns.
    let body = UncheckedBox(body)
    return executor.perform { assumeIsolated { body.value($0) } }
  }

  nonisolated var noted: [String] { perform { $0.log } }
}
