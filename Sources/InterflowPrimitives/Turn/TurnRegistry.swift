import Synchronization

/// The threads that wait for turns, and which turn each waits for.
///
/// A thread waits for at most one turn, and a turn has one owner. So the waits form a chain: from a turn to its owner,
/// to the turn that this thread waits for, and so on. Only a thread that begins to wait can close a cycle, which
/// happens under the lock, and a sleeping thread leaves no turn. So a walk along the chain under the lock finds every
/// cycle. The registry is used only when a thread has to wait.
final class TurnRegistry: Sendable {
  static let shared = TurnRegistry()

  private let lock = Lock()

  // Guarded by `lock`: all three. `sleeping` maps a thread to its waiter.
  private nonisolated(unsafe) var queues: [UnsafeRawPointer: TurnQueue] = [:]
  private nonisolated(unsafe) var sleeping: [UInt: TurnWaiter] = [:]
  private nonisolated(unsafe) var unused: [TurnWaiter] = []

  private init() {}

  // MARK: Waiting

  /// Sleeps until this thread has the turn.
  ///
  /// - Returns: The previous owner: zero, or a sleeping thread from which the turn is borrowed.
  func wait(for turn: borrowing Turn, _ me: UInt) -> UInt {
    withUnsafePointer(to: turn) { wait(for: $0, me) }
  }

  private func wait(for turn: UnsafePointer<Turn>, _ me: UInt) -> UInt {
    let key = UnsafeRawPointer(turn)
    lock.lock()
    let waiter = unused.popLast() ?? TurnWaiter()
    waiter.begin(me)
    defer {
      unused.append(waiter)
      lock.unlock()
    }
    while true {
      let word = turn.pointee.word.load(ordering: .acquiring)
      let owner = word & Turn.Flag.owner
      if owner == 0 {
        guard turn.pointee.exchange(word, word | me) else { continue }
        endWaiting(for: turn, waiter)
        return 0
      }
      if owner == me {
        // The previous owner gave the turn to this thread, and removed the waiter from the queue.
        return 0
      }
      if waitsInCycle(owner, for: me) {
        guard turn.pointee.exchange(word, word & ~Turn.Flag.owner | me) else { continue }
        endWaiting(for: turn, waiter)
        return owner
      }
      // Fails if the owner has left, or has marked work, since the load.
      guard turn.pointee.exchange(word, word & ~Turn.Flag.waiterIsAwake | Turn.Flag.waiterSleeps) else { continue }
      if !waiter.isQueued {
        waiter.isQueued = true
        queues[key, default: TurnQueue()].append(waiter)
      }
      waiter.turn = turn
      sleeping[me] = waiter
      lock.unlock()
      waiter.parker.park()
      let isTaken = turn.pointee.takesWhileSpinning(me)
      lock.lock()
      if isTaken {
        if waiter.isQueued { endWaiting(for: turn, waiter) }
        return 0
      }
    }
  }

  /// With the lock: whether a thread waits for a turn of this thread, directly or through other threads.
  private func waitsInCycle(_ owner: UInt, for me: UInt) -> Bool {
    lock.assertHeld()
    var thread = owner
    while let turn = sleeping[thread]?.turn {
      thread = turn.pointee.word.load(ordering: .relaxed) & Turn.Flag.owner
      if thread == me { return true }
    }
    return false
  }

  /// With the lock: removes the waiter of this thread, which has the turn now, from the turn's queue.
  private func endWaiting(for turn: UnsafePointer<Turn>, _ waiter: TurnWaiter) {
    lock.assertHeld()
    let wasFirst = waiter.isQueued && remove(waiter, from: turn)
    setFlags(of: turn, keepsWaiterIsAwake: !wasFirst)
  }

  /// With the lock: removes a waiter from the turn's queue.
  ///
  /// - Returns: Whether the waiter was the first.
  private func remove(_ waiter: TurnWaiter, from turn: UnsafePointer<Turn>) -> Bool {
    lock.assertHeld()
    let key = UnsafeRawPointer(turn)
    waiter.isQueued = false
    guard var queue = queues.removeValue(forKey: key) else { return false }
    let wasFirst = queue.remove(waiter)
    if !queue.isEmpty { queues[key] = queue }
    if wasFirst { turn.pointee.timesPassedOver.store(0, ordering: .relaxed) }
    return wasFirst
  }

  // MARK: Leaving

  /// Leaves a turn that threads wait for: makes the first of them the owner if it has waited too long, and otherwise
  /// makes the turn free and wakes that thread.
  ///
  /// - Returns: `false` if there is work to do first. The caller then still has the turn.
  func leave(_ turn: borrowing Turn, _ me: UInt) -> Bool {
    withUnsafePointer(to: turn) { turn in
      lock.lock()
      defer { lock.unlock() }
      return leaveWithLock(turn)
    }
  }

  private func leaveWithLock(_ turn: UnsafePointer<Turn>) -> Bool {
    lock.assertHeld()
    while true {
      let word = turn.pointee.word.load(ordering: .relaxed)
      if word & Turn.Flag.work != 0 { return false }
      guard let first = queues[UnsafeRawPointer(turn)]?.first else {
        if turn.pointee.exchange(word, 0) { return true }
        continue
      }
      let isAwake = sleeping[first.thread] == nil
      if turn.pointee.timesPassedOver.load(ordering: .relaxed) >= Turn.mostTimesPassedOver
        || monotonicNanoseconds() >= first.deadline
      {
        // The first waiter needs the lock to continue, and the flags are set before that.
        guard turn.pointee.exchange(word, first.thread) else { continue }
        _ = remove(first, from: turn)
        setFlags(of: turn, keepsWaiterIsAwake: false)
        if !isAwake { wake(first) }
        return true
      }
      turn.pointee.deadline.store(first.deadline, ordering: .relaxed)
      guard turn.pointee.exchange(word, Turn.Flag.waiterIsAwake) else { continue }
      if !isAwake { wake(first) }
      return true
    }
  }

  private func wake(_ waiter: TurnWaiter) {
    lock.assertHeld()
    sleeping[waiter.thread] = nil
    waiter.parker.unpark()
  }

  /// With the lock: sets the flags from which the owner of a turn knows that threads wait.
  private func setFlags(of turn: UnsafePointer<Turn>, keepsWaiterIsAwake: Bool) {
    lock.assertHeld()
    let cleared =
      keepsWaiterIsAwake ? Turn.Flag.waiterSleeps : Turn.Flag.waiterSleeps | Turn.Flag.waiterIsAwake
    let added = queues[UnsafeRawPointer(turn)] == nil ? 0 : Turn.Flag.waiterSleeps
    while true {
      let word = turn.pointee.word.load(ordering: .relaxed)
      if turn.pointee.exchange(word, word & ~cleared | added) { return }
    }
  }
}
