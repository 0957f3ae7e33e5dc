import Synchronization

/// The threads that wait for turns, what each waits for, and who therefore waits for whom.
///
/// A thread waits for at most one turn and a turn has one owner, so who waits for whom is a chain: from a turn to its
/// owner, to the turn that this one waits for, and so on. Only a thread that begins to wait can close a circle, which
/// happens under the lock, and threads that sleep release nothing; so a walk along the chain under the lock is exact.
/// Nothing of this is touched unless a thread has to wait.
final class TurnRegistry: Sendable {
  static let shared = TurnRegistry()

  private let lock = Lock()

  // Guarded by `lock`: all three.
  private nonisolated(unsafe) var queues: [UnsafeRawPointer: TurnQueue] = [:]
  private nonisolated(unsafe) var sleeping: [UInt: TurnWaiter] = [:]
  private nonisolated(unsafe) var unused: [TurnWaiter] = []

  private init() {}

  // MARK: Waiting

  /// Sleeps until this thread has the turn.
  ///
  /// - Returns: Who had it before: zero, or a thread from which it is borrowed.
  func wait(for turn: borrowing Turn, _ me: UInt) -> UInt {
    lock.lock()
    let waiter = unused.popLast() ?? TurnWaiter()
    waiter.begin(me)
    let previous = withUnsafePointer(to: turn) { waitHoldingLock(for: $0, me, waiter) }
    unused.append(waiter)
    lock.unlock()
    return previous
  }

  private func waitHoldingLock(for turn: UnsafePointer<Turn>, _ me: UInt, _ waiter: TurnWaiter) -> UInt {
    let key = UnsafeRawPointer(turn)
    while true {
      let word = turn.pointee.word.load(ordering: .acquiring)
      let owner = word & Turn.Flag.owner
      if owner == 0 {
        guard turn.pointee.exchange(word, word | me) else { continue }
        endWaiting(for: turn, waiter)
        return 0
      }
      if owner == me {
        // Handed over, by a thread that has taken the waiter out of the queue.
        return 0
      }
      if isWaitedForInCircle(by: owner, me) {
        guard turn.pointee.exchange(word, word & ~Turn.Flag.owner | me) else { continue }
        endWaiting(for: turn, waiter)
        return owner
      }
      // The owner may have left since: then there is nothing to sleep for.
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

  /// Whether a thread sleeps for a turn whose owner is this thread, or sleeps for one whose owner is, and so on.
  private func isWaitedForInCircle(by thread: UInt, _ me: UInt) -> Bool {
    var thread = thread
    while let turn = sleeping[thread]?.turn {
      thread = turn.pointee.word.load(ordering: .relaxed) & Turn.Flag.owner
      if thread == me { return true }
    }
    return false
  }

  /// Takes a waiter out of its turn's queue, on its own thread, which has the turn.
  private func endWaiting(for turn: UnsafePointer<Turn>, _ waiter: TurnWaiter) {
    let wasFirst = waiter.isQueued && remove(waiter, from: turn)
    turn.pointee.setFlags(waiterSleeps: queues[UnsafeRawPointer(turn)] != nil, keepsWaiterIsAwake: !wasFirst)
  }

  /// - Returns: Whether it was the first.
  private func remove(_ waiter: TurnWaiter, from turn: UnsafePointer<Turn>) -> Bool {
    let key = UnsafeRawPointer(turn)
    waiter.isQueued = false
    guard var queue = queues.removeValue(forKey: key) else { return false }
    let wasFirst = queue.remove(waiter)
    if !queue.isEmpty { queues[key] = queue }
    if wasFirst { turn.pointee.timesPassedOver.store(0, ordering: .relaxed) }
    return wasFirst
  }

  // MARK: Leaving

  /// Gives a turn up for which threads wait: hands it over to the first, or wakes that to try.
  ///
  /// - Returns: `false` where there is work to be done first: the caller still has the turn.
  func leave(_ turn: borrowing Turn, _ me: UInt) -> Bool {
    withUnsafePointer(to: turn) { turn in
      lock.lock()
      defer { lock.unlock() }
      return leaveHoldingLock(turn)
    }
  }

  private func leaveHoldingLock(_ turn: UnsafePointer<Turn>) -> Bool {
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
        // The first goes on when it has the lock, so the flags are right by then.
        guard turn.pointee.exchange(word, first.thread) else { continue }
        _ = remove(first, from: turn)
        turn.pointee.setFlags(waiterSleeps: queues[UnsafeRawPointer(turn)] != nil, keepsWaiterIsAwake: false)
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
    sleeping[waiter.thread] = nil
    waiter.parker.unpark()
  }
}

extension Turn {
  /// Sets the flags of the waiting threads. Under the registry's lock.
  fileprivate borrowing func setFlags(waiterSleeps: Bool, keepsWaiterIsAwake: Bool) {
    while true {
      let word = word.load(ordering: .relaxed)
      let next =
        word & ~(keepsWaiterIsAwake ? Flag.waiterSleeps : Flag.waiterSleeps | Flag.waiterIsAwake)
        | (waiterSleeps ? Flag.waiterSleeps : 0)
      if exchange(word, next) { return }
    }
  }
}
