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

  private let lock = Lock()
  private var state = DeadlineState<Action>()
  private var hasThread = false
  private let changed = DispatchSemaphore(value: 0)

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

  private func work() {
    Thread.current.name = "nats.deadlines"
    while true {
      lock.lock()
      let due = state.takeDue(at: DispatchTime.now().uptimeNanoseconds)
      let next = due == nil ? state.next() : nil
      lock.unlock()
      if let due {
        due.run()
      } else {
        // Times of Dispatch's above this one are in the past for it.
        _ = changed.wait(
          timeout: next.map { DispatchTime(uptimeNanoseconds: min($0, UInt64(Int64.max))) } ?? .distantFuture)
      }
    }
  }
}
