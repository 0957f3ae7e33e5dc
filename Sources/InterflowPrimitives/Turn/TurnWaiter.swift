/// A thread that waits for a turn. Waiters are used again and never released, see ``Parker``.
final class TurnWaiter {
  let parker = Parker()

  // Guarded by the registry's lock: everything below it.
  private(set) var thread: UInt = 0
  /// When it has the turn handed over at the latest, in nanoseconds.
  private(set) var deadline: UInt64 = 0
  /// What it sleeps for, while it sleeps.
  var turn: UnsafePointer<Turn>?
  var isQueued = false

  /// How long a thread waits before it has the turn handed over, in nanoseconds: 250 µs. Counting how often it has been
  /// passed over would not do alone: such counts multiply along a chain of turns.
  private static var longestWait: UInt64 { 250_000 }

  func begin(_ thread: UInt) {
    self.thread = thread
    deadline = monotonicNanoseconds() + Self.longestWait
    turn = nil
    isQueued = false
  }
}

/// The threads that wait for one turn, in the order in which they came.
struct TurnQueue {
  private var waiters: [TurnWaiter] = []

  var first: TurnWaiter? { waiters.first }
  var isEmpty: Bool { waiters.isEmpty }

  mutating func append(_ waiter: TurnWaiter) { waiters.append(waiter) }

  /// - Returns: Whether it was the first.
  mutating func remove(_ waiter: TurnWaiter) -> Bool {
    guard let index = waiters.firstIndex(where: { $0 === waiter }) else { return false }
    waiters.remove(at: index)
    return index == 0
  }
}
