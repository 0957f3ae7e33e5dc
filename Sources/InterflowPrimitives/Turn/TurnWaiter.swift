/// A thread that waits for a turn. Waiters are reused and never released; see ``Parker``.
final class TurnWaiter {
  let parker = Parker()

  // Guarded by the registry's lock: everything below it.
  private(set) var thread: UInt = 0
  /// The monotonic time, in nanoseconds, after which the waiter is not passed over any more.
  private(set) var deadline: UInt64 = 0
  /// The turn that it waits for. Meaningful while it sleeps.
  var turn: UnsafePointer<Turn>?
  var isQueued = false

  /// How long a thread may be passed over, in nanoseconds: 250 µs. A limit on the number of times alone is not enough,
  /// because the numbers multiply along a chain of turns.
  private static var longestWait: UInt64 { 250_000 }

  func begin(_ thread: UInt) {
    self.thread = thread
    deadline = monotonicNanoseconds() + Self.longestWait
    turn = nil
    isQueued = false
  }
}

/// The threads that wait for one turn, in the order of their arrival.
struct TurnQueue {
  private var waiters: [TurnWaiter] = []

  var first: TurnWaiter? { waiters.first }
  var isEmpty: Bool { waiters.isEmpty }

  mutating func append(_ waiter: TurnWaiter) { waiters.append(waiter) }

  /// - Returns: Whether the waiter was the first.
  mutating func remove(_ waiter: TurnWaiter) -> Bool {
    guard let index = waiters.firstIndex(where: { $0 === waiter }) else { return false }
    waiters.remove(at: index)
    return index == 0
  }
}
