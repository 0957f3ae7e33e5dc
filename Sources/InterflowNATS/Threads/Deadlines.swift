import Dispatch
import Foundation
import InterflowPrimitives

/// The time limits of all calls of the process, on one thread and a clock that nobody sets.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class Deadlines: @unchecked Sendable {
  /// For ``remove(_:)``.
  struct Number: Sendable {
    fileprivate let number: UInt64
  }

  private struct Action {
    let run: @Sendable () -> Void
  }

  static let shared = Deadlines()

  /// Times that are very far are in the past for Dispatch: the thread would never sleep.
  private static let longestWait: Duration = .seconds(3_600)

  private let lock = Lock()
  private var state = DeadlineState<Action>()
  private var hasThread = false
  private let changed = DispatchSemaphore(value: 0)
  private var looks = 0

  /// Runs a closure when the time is over, which must not block: the others' deadlines wait for it.
  @discardableResult
  func add(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> Number {
    let (time, overflows) = DispatchTime.now().uptimeNanoseconds
      .addingReportingOverflow(UInt64(clamping: duration.nanoseconds))
    lock.lock()
    let (number, isNext) = state.add(Action(run: action), at: overflows ? .max : time)
    let begins = !hasThread
    hasThread = true
    lock.unlock()
    if begins { Thread.detachNewThread { self.work() } } else if isNext { changed.signal() }
    return Number(number: number)
  }

  /// The closure does not run, unless it has begun to.
  func remove(_ number: Number) {
    lock.lock()
    let action = state.remove(number.number)
    lock.unlock()
    releaseOutsideLock(action)
  }

  /// How often the thread has looked for what is due: for tests.
  var lookCount: Int {
    lock.lock()
    defer { lock.unlock() }
    return looks
  }

  /// Until when to wait for a time.
  static func end(ofWaitFor time: UInt64?, at now: DispatchTime) -> DispatchTime {
    guard let time else { return .distantFuture }
    return min(DispatchTime(uptimeNanoseconds: min(time, UInt64(Int64.max))), now + longestWait.dispatchInterval)
  }

  private func work() {
    Thread.current.name = "nats.deadlines"
    while true {
      let now = DispatchTime.now()
      lock.lock()
      looks += 1
      let due = state.takeDue(at: now.uptimeNanoseconds)
      let next = due == nil ? state.next() : nil
      lock.unlock()
      if let due {
        due.run()
      } else {
        _ = changed.wait(timeout: Self.end(ofWaitFor: next, at: now))
      }
    }
  }
}
