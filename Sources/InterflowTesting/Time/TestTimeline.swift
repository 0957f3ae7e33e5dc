import Foundation
import InterflowPrimitives

/// Virtual time for a test, shared by a scheduler, a clock and tasks.
///
/// Time stands still until the test lets it pass. Then everything that becomes due runs, each thing at its time, one at
/// a time, on the thread that lets time pass:
///
/// ```swift
/// let timeline = TestTimeline()
/// timeline.scheduler.schedule(after: 2) { print("the scheduler, at \(timeline.now)") }
/// Task(executorPreference: timeline) {
///   try await timeline.clock.sleep(for: .seconds(1))
///   print("the clock, at \(timeline.now)")
/// }
///
/// timeline.advance(by: 2)  // the clock, at 1 s; the scheduler, at 2 s
/// ```
///
/// What is due at the same time runs in the order in which it was scheduled.
///
/// A timeline is an executor for tasks: a task that prefers it, with all its child tasks and the actors they use, runs
/// where time passes, and nowhere else. So when ``advance(by:)`` returns, no such task has anything left to do that it
/// could do at that time: nothing is waited for, and no test is at the mercy of other threads. Tasks that run elsewhere
/// (on the main actor, for example) are not seen; see ``TestClock/waitForSleepers(_:isolation:)``.
///
/// - Thread: All members may be used from any thread. A thread that wants to let time pass while another does waits.
public final class TestTimeline: @unchecked Sendable {
  // `lock` guards the variables. By the scheduler's contract closures may change threads: they run here, one at a time.

  /// The length of time that one column of a marble diagram stands for.
  public let frame: VirtualTime.Stride

  private let lock = Lock()
  private var agenda = Agenda()
  private var driver: UInt?
  private var depth = 0
  private var waitingDrivers: [DispatchSemaphore] = []
  private var sleepWaiters: [SleepWaiter] = []

  private struct SleepWaiter {
    let count: Int
    let resume: () -> Void
  }

  /// Makes a timeline at its beginning.
  ///
  /// - Parameter frame: The length of time that one column of a marble diagram stands for.
  public init(frame: VirtualTime.Stride = 1) {
    precondition(frame > 0, "a frame of \(frame): a marble diagram's column has to stand for some time")
    self.frame = frame
  }

  /// The present.
  public var now: VirtualTime {
    lock.lock()
    defer { lock.unlock() }
    return agenda.now
  }

  /// A scheduler whose time this is.
  public var scheduler: TestScheduler { TestScheduler(timeline: self) }

  /// A clock whose time this is.
  public var clock: TestClock { TestClock(timeline: self) }

  // MARK: What is scheduled

  /// What is scheduled, in the order in which it will run.
  public var pending: [PendingWork] {
    lock.lock()
    defer { lock.unlock() }
    return agenda.pending
  }

  /// Throws if anything is still scheduled: for the end of a test.
  ///
  /// The error names what is left. Give work a name with the options of the scheduler: `options: "retry"`.
  public func verifyFinished() throws(UnfinishedWork) {
    lock.lock()
    let (time, pending) = (agenda.now, agenda.pending)
    lock.unlock()
    if !pending.isEmpty { throw UnfinishedWork(time: time, pending: pending) }
  }

  func add(due: VirtualTime?, _ kind: PendingWork.Kind, action: @escaping () -> Void) -> UInt64 {
    lock.lock()
    let id = agenda.add(due: due ?? agenda.now, kind, action: action)
    let satisfied = takeSatisfiedWaiters()
    lock.unlock()
    for waiter in satisfied { waiter.resume() }
    return id
  }

  func remove(_ id: UInt64) {
    lock.lock()
    let work = agenda.remove(id)
    lock.unlock()
    withExtendedLifetime(work) {}  // A closure is released where nothing is locked.
  }

  /// Calls back once so many tasks sleep.
  func whenAsleep(_ count: Int, resume: @escaping () -> Void) {
    lock.lock()
    sleepWaiters.append(SleepWaiter(count: count, resume: resume))
    let satisfied = takeSatisfiedWaiters()
    lock.unlock()
    for waiter in satisfied { waiter.resume() }
  }

  private func takeSatisfiedWaiters() -> [SleepWaiter] {
    guard !sleepWaiters.isEmpty else { return [] }
    let satisfied = sleepWaiters.filter { $0.count <= agenda.sleepers }
    sleepWaiters.removeAll { $0.count <= agenda.sleepers }
    return satisfied
  }

  // MARK: One thread lets time pass

  /// Whether this thread lets time pass right now, further down its stack.
  var isDrivenHere: Bool {
    lock.lock()
    defer { lock.unlock() }
    return driver == currentThreadIdentity()
  }

  /// Runs what lets time pass, when no other thread does.
  func drive<Result>(_ body: () throws -> Result) rethrows -> Result {
    let thread = currentThreadIdentity()
    lock.lock()
    while let driver, driver != thread {
      let turn = DispatchSemaphore(value: 0)
      waitingDrivers.append(turn)
      lock.unlock()
      turn.wait()
      lock.lock()
    }
    driver = thread
    depth += 1
    lock.unlock()
    defer {
      lock.lock()
      depth -= 1
      if depth == 0 { driver = nil }
      let next = depth == 0 && !waitingDrivers.isEmpty ? waitingDrivers.removeFirst() : nil
      lock.unlock()
      next?.signal()
    }
    return try TaskHome.with(self, body)  // Tasks that Interflow starts for what runs here belong here too.
  }

  /// Runs the next work that is due by then.
  ///
  /// - Returns: Whether there was any.
  func runNext(until end: VirtualTime) -> Bool {
    lock.lock()
    let work = agenda.takeNext(until: end)
    lock.unlock()
    work?.action()
    return work != nil
  }

  func move(to time: VirtualTime) {
    lock.lock()
    agenda.move(to: time)
    lock.unlock()
  }

  var holdsNewWork: Bool {
    lock.lock()
    defer { lock.unlock() }
    return agenda.holdsNewWork
  }
}

extension TestTimeline: TaskExecutor {
  /// Makes a task go on at the present time, after what is scheduled for it already.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    _ = add(due: nil, .task) { [unowned self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

extension TestTimeline: CustomStringConvertible {
  /// The time, and how much is scheduled.
  public var description: String { "TestTimeline(now: \(now), scheduled: \(pending.count))" }
}
