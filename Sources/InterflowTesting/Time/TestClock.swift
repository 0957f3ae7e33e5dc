import InterflowPrimitives

/// A clock whose time passes when a test says so.
///
/// ```swift
/// let clock = TestClock()
/// let task = Task(executorPreference: clock.timeline) {
///   try await clock.sleep(for: .seconds(60))
///   return "awake"
/// }
///
/// await clock.advance(by: .seconds(60))
/// #expect(try await task.value == "awake")
/// ```
///
/// A task that prefers the clock's ``timeline`` as its executor runs where time passes. So does what it starts as child
/// tasks (`async let`, task groups), and the actors that it calls, unless an actor has an executor of its own. For such
/// tasks `advance` returns when none of them has anything left to do at the time reached. ``TestTimeline/run(_:)``
/// makes a whole test such a task.
///
/// Tasks that run elsewhere may use the clock as well: a sleeper is woken at its time, and then runs when and where its
/// executor lets it. ``waitForSleepers(_:isolation:)`` says when such tasks have gone to sleep.
///
/// - Thread: All members may be used from any thread.
/// - Cancellation: Cancelling a task that sleeps wakes it at once, with a `CancellationError`.
public struct TestClock: Clock, Sendable {
  /// A point in virtual time.
  public typealias Instant = VirtualTime

  /// The time that the clock shows.
  public let timeline: TestTimeline

  /// Makes a clock with a timeline of its own.
  public init() {
    self.init(timeline: TestTimeline())
  }

  /// Makes a clock that shares a timeline.
  public init(timeline: TestTimeline) {
    self.timeline = timeline
  }

  /// The present.
  public var now: VirtualTime { timeline.now }

  /// Zero: every sleeper is woken exactly at its time.
  public var minimumResolution: Duration { .zero }

  /// Returns when time has come so far; at once if it has already.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before or meanwhile.
  public func sleep(until deadline: VirtualTime, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    guard deadline > now else { return }
    try await sleep { wake in
      let id = timeline.add(due: deadline, .sleep, action: wake)
      return { timeline.remove(id) }
    }
  }

  /// Returns when the task is cancelled, and not before.
  func sleepForever() async throws {
    try await sleep { _ in {} }
  }

  /// - Parameter enter: Has the sleep ended at its time, and returns what undoes that.
  private func sleep(enter: (_ wake: @escaping () -> Void) -> () -> Void) async throws {
    let sleep = Sleep()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        sleep.start(continuation) { enter { sleep.end(with: .success(())) } }
      }
    } onCancel: {
      sleep.end(with: .failure(CancellationError()))
    }
  }

  /// Returns when at least so many tasks sleep on the timeline.
  ///
  /// For code that runs elsewhere than on the timeline: a test waits until it has gone to sleep, and not for a time
  /// that may or may not be long enough, before it lets time pass.
  public func waitForSleepers(_ count: Int = 1, isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { continuation in
      timeline.whenAsleep(count) { continuation.resume() }
    }
  }

  // MARK: What the test does

  /// Lets time pass, and runs what becomes due, each thing at its time; without a length, what is due now.
  ///
  /// On the timeline, the caller waits while others let time pass; elsewhere it lets it pass itself.
  public func advance(by duration: Duration = .zero, isolation: isolated (any Actor)? = #isolation) async {
    precondition(duration >= .zero, "advance(by: \(duration)): time passes in one direction only")
    await timeline.pass(to: now.advanced(by: duration), isolation: isolation)
  }

  /// Lets time pass until then, and runs what becomes due, each thing at its time.
  public func advance(to time: VirtualTime, isolation: isolated (any Actor)? = #isolation) async {
    await timeline.pass(to: time, isolation: isolation)
  }

  /// Lets time pass until nothing is scheduled but repetitions that have begun; see ``TestTimeline/run()``.
  public func run() { timeline.run() }

  /// Throws if anything is still scheduled, with an error that names it: for the end of a test.
  public func verifyFinished() throws(UnfinishedWork) { try timeline.verifyFinished() }
}

extension TestClock: CustomStringConvertible {
  /// The time, and how much is scheduled.
  public var description: String { "TestClock(now: \(now), scheduled: \(timeline.pending.count))" }
}

/// One task's sleep, which ends once: at its time, or when the task is cancelled.
private final class Sleep: @unchecked Sendable {  // `lock` guards `state`.
  private enum State {
    case awake
    case asleep(CheckedContinuation<Void, any Error>, leave: (() -> Void)?)
    case ended(Result<Void, any Error>)
  }

  private let lock = Lock()
  private var state = State.awake

  /// Goes to sleep, unless the sleep has ended already.
  func start(_ continuation: CheckedContinuation<Void, any Error>, enter: () -> () -> Void) {
    lock.lock()
    if case .ended(let result) = state {
      lock.unlock()
      return continuation.resume(with: result)
    }
    state = .asleep(continuation, leave: nil)
    lock.unlock()

    let leave = enter()

    lock.lock()
    guard case .asleep = state else {  // Time or cancellation was faster.
      lock.unlock()
      return leave()
    }
    state = .asleep(continuation, leave: leave)
    lock.unlock()
  }

  func end(with result: Result<Void, any Error>) {
    lock.lock()
    let last = state
    if case .ended = last {
      lock.unlock()
      return
    }
    state = .ended(result)
    lock.unlock()
    guard case .asleep(let continuation, let leave) = last else { return }
    leave?()
    continuation.resume(with: result)
  }
}
