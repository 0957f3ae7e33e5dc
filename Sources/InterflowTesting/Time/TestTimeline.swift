import Foundation
import InterflowPrimitives

/// Virtual time for a test, shared by a scheduler, a clock and tasks.
///
/// Time passes only when the test lets it pass. Then all work that becomes due runs at its time, one item at a time, on
/// the thread that lets time pass:
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
/// Work that is due at the same time runs in the order in which it was scheduled. A task that wakes then goes on after the
/// work that is scheduled for that time already.
///
/// A timeline is a task executor: a task with the timeline as its executor preference, its child tasks and the actors
/// that they use run only on the thread that lets time pass. So when ``advance(by:)`` returns, no such task has work
/// left at that time, independent of other threads. The timeline does not know of tasks that run elsewhere, such as on
/// the main actor; see ``TestClock/waitForSleepers(_:isolation:)``.
///
/// - Thread: All members may be used from any thread. If a thread lets time pass while another does, it waits.
public final class TestTimeline: @unchecked Sendable {
  // `lock` guards the variables. By the scheduler's contract closures may run on another thread; they run one at a
  // time.

  /// The time that one column of a marble diagram represents.
  public let frame: VirtualTime.Stride

  /// After a chain of so many items of work, it probably continues without end.
  private(set) var stepLimit = 1_000_000  // Set by an initializer only.

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

  /// Makes a timeline, whose time is zero.
  ///
  /// - Parameter frame: The time that one column of a marble diagram represents.
  public init(frame: VirtualTime.Stride = 1) {
    precondition(frame > 0, "a frame of \(frame): a marble diagram's column has to stand for some time")
    self.frame = frame
  }

  package convenience init(stepLimit: Int) {
    self.init()
    self.stepLimit = stepLimit
  }

  /// The current time.
  public var now: VirtualTime {
    lock.lock()
    defer { lock.unlock() }
    return agenda.now
  }

  /// A scheduler with this timeline.
  public var scheduler: TestScheduler { TestScheduler(timeline: self) }

  /// A clock with this timeline.
  public var clock: TestClock { TestClock(timeline: self) }

  // MARK: Scheduled work

  /// The scheduled work, in the order in which it will run.
  public var pending: [PendingWork] {
    lock.lock()
    defer { lock.unlock() }
    return agenda.pending
  }

  /// Throws if work is still scheduled: for the end of a test.
  ///
  /// The error lists the work. Scheduler options give work a name: `options: "retry"`.
  public func verifyFinished() throws(UnfinishedWork) {
    lock.lock()
    let (time, pending) = (agenda.now, agenda.pending)
    lock.unlock()
    if !pending.isEmpty { throw UnfinishedWork(time: time, pending: pending) }
  }

  func add(due: VirtualTime?, _ kind: PendingWork.Kind, action: @escaping () -> Void) -> UInt64 {
    lock.lock()
    return addUnlocking(due: due ?? agenda.now, kind, action: action)
  }

  /// Adds the end of a sleep.
  ///
  /// - Returns: The identifier of the work; `nil` if the time has passed, and nothing was added.
  func addSleep(until deadline: VirtualTime, wake: @escaping () -> Void) -> UInt64? {
    lock.lock()
    if deadline <= agenda.now {
      lock.unlock()
      return nil
    }
    return addUnlocking(due: deadline, .sleep, action: wake)
  }

  private func addUnlocking(due: VirtualTime, _ kind: PendingWork.Kind, action: @escaping () -> Void) -> UInt64 {
    lock.assertHeld()
    let id = agenda.add(due: due, kind, action: action)
    let satisfied = takeSatisfiedWaiters()
    lock.unlock()
    for waiter in satisfied { waiter.resume() }
    return id
  }

  func remove(_ id: UInt64) {
    lock.lock()
    let work = agenda.remove(id)
    lock.unlock()
    releaseOutsideLock(work)  // The closure is released without the lock.
  }

  /// Calls a closure when at least `count` tasks sleep.
  func whenAsleep(_ count: Int, resume: @escaping () -> Void) {
    lock.lock()
    sleepWaiters.append(SleepWaiter(count: count, resume: resume))
    let satisfied = takeSatisfiedWaiters()
    lock.unlock()
    for waiter in satisfied { waiter.resume() }
  }

  /// With the lock: removes the waiters for whom enough tasks sleep, for the caller to resume without the lock.
  private func takeSatisfiedWaiters() -> [SleepWaiter] {
    lock.assertHeld()
    guard !sleepWaiters.isEmpty else { return [] }
    let satisfied = sleepWaiters.filter { $0.count <= agenda.sleepers }
    sleepWaiters.removeAll { $0.count <= agenda.sleepers }
    return satisfied
  }

  // MARK: Driving the timeline

  /// Whether this thread is letting time pass, in a call further down its stack.
  var isDrivenHere: Bool {
    lock.lock()
    defer { lock.unlock() }
    return driver == currentThreadIdentity()
  }

  /// How many threads wait until this one has let time pass.
  var waitingThreads: Int {
    lock.lock()
    defer { lock.unlock() }
    return waitingDrivers.count
  }

  /// Calls a closure that lets time pass, after waiting until no other thread does.
  package func drive<Result>(_ body: () throws -> Result) rethrows -> Result {
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
    let chain = agenda.chain
    lock.unlock()
    defer {
      lock.lock()
      agenda.chain = chain  // What is added afterwards does not continue the chain of the work that ran here.
      depth -= 1
      if depth == 0 { driver = nil }
      let next = depth == 0 && !waitingDrivers.isEmpty ? waitingDrivers.removeFirst() : nil
      lock.unlock()
      next?.signal()
    }
    return try ExecutorPreference.with(self, body)  // Tasks that Interflow starts in it run on this timeline, too.
  }

  /// Runs the next work that is due by a time.
  ///
  /// - Returns: The chain of items to which it belongs; `nil` if there was none.
  func runNext(until end: VirtualTime) -> Agenda.Chain? {
    lock.lock()
    let work = agenda.takeNext(until: end)
    lock.unlock()
    work?.action()
    return work?.chain
  }

  /// Lets time pass, unless work is due by another time.
  ///
  /// - Returns: Whether there was no such work.
  func move(to time: VirtualTime, unlessDueBy end: VirtualTime) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    if agenda.hasWork(dueBy: end) { return false }
    agenda.move(to: time)
    return true
  }

  var holdsNewWork: Bool {
    lock.lock()
    defer { lock.unlock() }
    return agenda.holdsNewWork
  }
}

extension TestTimeline: TaskExecutor {
  /// Schedules a task's next part at the current time, after the work that is scheduled for it already.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    _ = add(due: nil, .task) { [unowned self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

extension TestTimeline: CustomStringConvertible {
  /// The current time, and the number of scheduled items.
  public var description: String { "TestTimeline(now: \(now), scheduled: \(pending.count))" }
}
