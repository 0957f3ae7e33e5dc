import Foundation
import InterflowPrimitives
import Synchronization

/// The threads of one run of a check: how many there are, how long they may take, and whether they were given up.
///
/// The publisher may do anything: a call may not return, lead to further calls without end, or use memory that is being
/// released. Then the run is given up, and the process has to survive the threads that are left.
final class TrialThreads: @unchecked Sendable {  // `condition` guards all variables.
  /// The most threads of a run. More of them would mean that calls lead to further calls without end.
  static let limit = 32

  /// The most threads that run a check together, so that with the calls that each makes on other threads they are within
  /// the limit.
  static let mostTogether = 10

  /// Enough for the deepest calls that the checks make, and a quarter of Linux's default.
  static let stackSize = 2 << 20

  /// How many calls on other threads may be nested in each other. One that a subscriber makes inside
  /// `receive(subscription:)` may be served in place, and the value is worth another.
  private static let allowedDepth = 2

  /// How many signals a run that was given up may still deliver: by then any publisher that ends has released what it
  /// holds. Of one that delivers without end, the run's threads are stopped, and what others deliver is discarded.
  private static let allowedLateSignals = 10_000

  /// Threads that were started together.
  final class Group: @unchecked Sendable {  // The condition of the run guards `running`.
    fileprivate var running: Int

    fileprivate init(_ running: Int) { self.running = running }
  }

  /// A wait for something.
  struct Wait {
    let end: Date
    let duration: Duration
  }

  private enum State: UInt8, AtomicRepresentable {
    case running
    /// A call has not returned in time. What its threads do no longer counts.
    case givenUp
    /// A thread has used memory that is being released. None of the run may go on.
    case stopped
  }

  let waitLimit: WaitLimit
  private let workers: WorkerThreads
  /// Read for each signal, and so not with the lock; it changes once.
  private let state = Atomic(State.running)
  private let lateSignals = Atomic(0)
  private let condition = NSCondition()
  private var live: Int
  private var depths: [UInt: Int] = [:]
  private var latestEnd: Date

  /// - Parameter workers: The threads that run the scripts.
  init(_ workers: WorkerThreads, _ waitLimit: WaitLimit) {
    self.workers = workers
    self.waitLimit = waitLimit
    live = workers.count
    latestEnd = Date(timeIntervalSinceNow: waitLimit.duration.inSeconds)
  }

  var isRunning: Bool { state.load(ordering: .relaxed) == .running }

  // MARK: Time

  /// When the run is given up: when no script has waited for anything for as long as one may wait, as in a call that
  /// does not return.
  var end: Date { condition.withLock { latestEnd } }

  /// Begins a wait.
  func beginWait() -> Wait {
    let duration = waitLimit.duration
    let end = Date(timeIntervalSinceNow: duration.inSeconds)
    condition.withLock { latestEnd = max(latestEnd, end.addingTimeInterval(duration.inSeconds)) }
    return Wait(end: end, duration: duration)
  }

  /// What was waited for has come.
  func end(_ wait: Wait) {
    waitLimit.answered(after: wait.duration - .seconds(max(0, wait.end.timeIntervalSinceNow)))
  }

  // MARK: Calls on other threads

  /// Whether this thread makes a call inside a call inside another one's, and is to start no more threads.
  var isNested: Bool {
    let thread = currentThreadIdentity()
    return condition.withLock { depths[thread, default: 0] >= Self.allowedDepth }
  }

  /// Runs a closure on other threads.
  ///
  /// - Returns: The threads, to wait for; `nil` if there would be too many.
  func start(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> Group? {
    let thread = currentThreadIdentity()
    let depth: Int? = condition.withLock {
      guard live + count <= Self.limit else { return nil }
      live += count
      return depths[thread, default: 0] + 1
    }
    guard let depth else { return nil }
    let group = Group(count)
    for index in 0..<count {
      let thread = Thread { [self] in
        let thread = currentThreadIdentity()
        condition.withLock { depths[thread] = depth }
        body(index)
        condition.withLock {
          depths[thread] = nil
          live -= 1
          group.running -= 1
          condition.broadcast()
        }
      }
      thread.stackSize = Self.stackSize
      thread.start()
    }
    return group
  }

  /// Waits until threads have returned.
  ///
  /// - Returns: Whether they have, before the wait ended; also true if the run has been stopped.
  func wait(for group: Group, _ wait: Wait) -> Bool {
    condition.lock()
    while group.running > 0, state.load(ordering: .relaxed) != .stopped {
      if !condition.wait(until: wait.end) { break }
    }
    let hasReturned = group.running == 0
    condition.unlock()
    if hasReturned { end(wait) }
    return !mayGoOn() || hasReturned
  }

  // MARK: Giving up

  /// Gives up the run, since a call has not returned.
  ///
  /// - Returns: Whether it was running until now.
  func giveUp() -> Bool { change(to: .givenUp) }

  /// Stops all threads of the run for good, this one included if it is one of them.
  func stop() {
    _ = change(to: .stopped)
    condition.withLock { condition.broadcast() }
    workers.wake()
    parkIfOwn()
  }

  private func change(to next: State) -> Bool {
    state.compareExchange(expected: .running, desired: next, ordering: .relaxed).exchanged
  }

  /// Called for each action: does not return on a thread of a run that has been stopped.
  ///
  /// - Returns: Whether the run has not been stopped.
  @discardableResult
  func mayGoOn() -> Bool {
    if state.load(ordering: .relaxed) != .stopped { return true }
    parkIfOwn()
    return false
  }

  /// Called for each signal: does not return on a thread of a run that has been stopped, or was given up long ago.
  ///
  /// - Returns: Whether the signal counts. Otherwise it is discarded.
  func signalBegins() -> Bool {
    let state = state.load(ordering: .relaxed)
    if state == .running { return true }
    let isLate = lateSignals.wrappingAdd(1, ordering: .relaxed).newValue > Self.allowedLateSignals
    if state == .givenUp, !isLate { return true }
    parkIfOwn()
    if isLate { Self.slowDown() }
    return false
  }

  /// Does not return on a thread that the run has started. Others are the publisher's or the program's, and needed.
  private func parkIfOwn() {
    let thread = currentThreadIdentity()
    if workers.include(thread) || condition.withLock({ depths[thread] != nil }) { Self.park() }
  }

  /// Leaves the processor to others, except on the main thread and on those of Swift's task pool.
  private static func slowDown() {
    if Thread.isMainThread || withUnsafeCurrentTask(body: { $0 != nil }) { return }
    Thread.sleep(forTimeInterval: 0.001)
  }

  static func park() -> Never {
    let forever = DispatchSemaphore(value: 0)
    while true { forever.wait() }
  }
}
