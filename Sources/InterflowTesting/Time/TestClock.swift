import InterflowPrimitives

/// A clock whose time passes only when a test lets it pass.
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
/// A task with the clock's ``timeline`` as its executor preference runs on the thread that lets time pass. So do its
/// child tasks (`async let`, task groups), and the actors that it calls, unless an actor has an executor of its own.
/// `advance` returns when none of these tasks has work left at the time reached. ``TestTimeline/run(_:)`` runs a whole
/// test in such a task.
///
/// Tasks that run elsewhere may use the clock as well: a sleeping task is resumed at its time, and then runs on its own
/// executor. ``waitForSleepers(_:isolation:)`` waits until such tasks sleep.
///
/// - Thread: All members may be used from any thread.
/// - Cancellation: Cancelling a sleeping task resumes it at once, with a `CancellationError`.
public struct TestClock: Clock, Sendable {
  /// A point in virtual time.
  public typealias Instant = VirtualTime

  /// The timeline whose time the clock shows.
  public let timeline: TestTimeline

  /// Makes a clock with a timeline of its own.
  public init() {
    self.init(timeline: TestTimeline())
  }

  /// Makes a clock that shares a timeline.
  public init(timeline: TestTimeline) {
    self.timeline = timeline
  }

  /// The current time.
  public var now: VirtualTime { timeline.now }

  /// Zero: every sleeping task is resumed exactly at its time.
  public var minimumResolution: Duration { .zero }

  /// Waits until a time; returns at once if it has passed.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before or meanwhile.
  public func sleep(until deadline: VirtualTime, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    try await sleep { wake in
      guard let id = timeline.addSleep(until: deadline, wake: wake) else {
        wake()
        return {}
      }
      return { timeline.remove(id) }
    }
  }

  /// Waits until the task is cancelled.
  func sleepForever() async throws {
    try await sleep { _ in {} }
  }

  /// - Parameter schedule: Schedules the end of the sleep, and returns a closure that unschedules it.
  private func sleep(schedule: (_ wake: @escaping () -> Void) -> () -> Void) async throws {
    let sleep = Sleep()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        sleep.start(continuation) { schedule { sleep.end(with: .success(())) } }
      }
    } onCancel: {
      sleep.end(with: .failure(CancellationError()))
    }
  }

  /// Waits until at least `count` tasks sleep on the timeline.
  ///
  /// For tasks that do not run on the timeline: the test waits until they sleep before it lets time pass.
  public func waitForSleepers(_ count: Int = 1, isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { continuation in
      timeline.whenAsleep(count) { continuation.resume() }
    }
  }

  // MARK: Actions of the test

  /// Lets time pass, and runs the work that becomes due, at its time; without a duration, the work that is due now.
  ///
  /// A task on the timeline waits while the thread that drives the timeline lets time pass; elsewhere the caller's
  /// thread does.
  public func advance(by duration: Duration = .zero, isolation: isolated (any Actor)? = #isolation) async {
    precondition(duration >= .zero, "advance(by: \(duration)): time passes in one direction only")
    // Elsewhere the time may be another one when it is the thread's turn.
    guard timeline.isDrivenHere else { return timeline.advance(by: VirtualTime.Stride(duration)) }
    await timeline.pass(to: now.advanced(by: duration), isolation: isolation)
  }

  /// Lets time pass up to a time, and runs the work that becomes due, at its time.
  public func advance(to time: VirtualTime, isolation: isolated (any Actor)? = #isolation) async {
    guard timeline.isDrivenHere else { return timeline.advance(to: time) }
    await timeline.pass(to: time, isolation: isolation)
  }

  /// Lets time pass until nothing is scheduled but repetitions that have begun; see ``TestTimeline/run()``.
  public func run() { timeline.run() }

  /// Throws if work is still scheduled, with an error that lists it: for the end of a test.
  public func verifyFinished() throws(UnfinishedWork) { try timeline.verifyFinished() }
}

extension TestClock: CustomStringConvertible {
  /// The current time, and the number of scheduled items.
  public var description: String { "TestClock(now: \(now), scheduled: \(timeline.pending.count))" }
}

/// One task's sleep, which ends once: at its time, or when the task is cancelled.
private final class Sleep: @unchecked Sendable {  // `lock` guards `state`.
  private enum State {
    case awake
    case asleep(CheckedContinuation<Void, any Error>, unschedule: (() -> Void)?)
    case ended(Result<Void, any Error>)
  }

  private let lock = Lock()
  private var state = State.awake

  /// Begins the sleep, unless it has ended already.
  func start(_ continuation: CheckedContinuation<Void, any Error>, schedule: () -> () -> Void) {
    lock.lock()
    if case .ended(let result) = state {
      lock.unlock()
      return continuation.resume(with: result)
    }
    state = .asleep(continuation, unschedule: nil)
    lock.unlock()

    let unschedule = schedule()

    lock.lock()
    guard case .asleep = state else {  // It has ended meanwhile.
      lock.unlock()
      return unschedule()
    }
    state = .asleep(continuation, unschedule: unschedule)
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
    guard case .asleep(let continuation, let unschedule) = last else { return }
    unschedule?()
    continuation.resume(with: result)
  }
}
