import Synchronization

/// The right to deliver signals. One thread, the owner, has it at a time, also while that thread calls subscribers.
///
/// A turn differs from a lock that is held during calls in two ways. First, its owner can enter it again, so a signal
/// that is sent during a call is delivered immediately. Second, turns do not deadlock with each other: if a thread would
/// wait for an owner that itself waits for this thread, directly or through others, all the other threads in that cycle
/// sleep. The thread then borrows the turn, delivers as if nested in the sleeping owner's delivery, and gives it back.
///
/// Other threads can leave *work* to the owner instead of waiting: ``enterOrRequestWork(_:)`` marks the turn, and an
/// owner that finds the mark does the work before it leaves. The caller decides what the work is, and what guards it.
///
/// A running thread may take a free turn before threads that wait for it, since that needs no context switch. A waiting
/// thread is passed over a bounded number of times and for a bounded time. After that, the owner that leaves makes it
/// the owner directly.
@frozen
@usableFromInline
package struct Turn: ~Copyable {
  /// The identity of the owner's thread, or zero, and three flags in bits that are clear in every identity.
  @usableFromInline let word = Atomic<UInt>(0)

  /// How often the first waiting thread has been passed over since it was woken.
  let timesPassedOver = Atomic<UInt32>(0)
  /// The monotonic time, in nanoseconds, after which the first waiting thread is not passed over any more.
  let deadline = Atomic<UInt64>(0)

  @frozen
  @usableFromInline
  enum Flag {
    /// The first waiting thread sleeps: the owner must wake it when it leaves.
    @inlinable static var waiterSleeps: UInt { 1 }
    /// The first waiting thread is awake and tries to take the turn: the owner counts how often it is passed over.
    @inlinable static var waiterIsAwake: UInt { 2 }
    /// There is work for the owner to do before it leaves.
    @inlinable static var work: UInt { 4 }
    @inlinable static var owner: UInt { ~15 }
  }

  /// How often a thread checks whether the turn is free before it sleeps.
  static var spinRounds: Int { 1_000 }
  /// How often a waiting thread may be passed over.
  static var mostTimesPassedOver: UInt32 { 128 }

  @inlinable
  package init() {}

  // MARK: Entering and leaving

  /// Waits for the turn and takes it. On the thread that has it already, enters it again.
  ///
  /// - Parameter me: The identity of the current thread.
  /// - Returns: The previous owner, for ``leave(_:_:)``: zero if the turn was free, this thread if it had the turn
  ///   already, or a sleeping thread from which the turn is borrowed.
  @inlinable
  package borrowing func enter(_ me: UInt) -> UInt {
    if tryEnter(me) { return 0 }
    return enterBusy(me)
  }

  /// Takes the turn if it is free and no thread waits for it.
  @inlinable
  package borrowing func tryEnter(_ me: UInt) -> Bool {
    word.compareExchange(expected: 0, desired: me, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged
  }

  /// Gives the turn back to the previous owner, or makes it free.
  ///
  /// - Parameter previous: What ``enter(_:)`` returned.
  /// - Returns: `false` if there is work to do first. The caller then still has the turn.
  @inlinable
  package borrowing func leave(_ me: UInt, _ previous: UInt) -> Bool {
    if previous == 0,
      word.compareExchange(expected: me, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed).exchanged
    {
      return true
    }
    return leaveBusy(me, previous)
  }

  /// Whether a thread has the turn.
  @inlinable
  package borrowing func isOwned(by thread: UInt) -> Bool { word.load(ordering: .relaxed) & Flag.owner == thread }

  @usableFromInline
  @inline(never)
  borrowing func enterBusy(_ me: UInt) -> UInt {
    if isOwned(by: me) { return me }
    if takesWhileSpinning(me) { return 0 }
    return TurnRegistry.shared.wait(for: self, me)
  }

  /// Checks repeatedly whether the turn is free, for a short time, and takes it.
  ///
  /// - Returns: Whether this thread has the turn: because it took it, or because the previous owner gave it to it.
  borrowing func takesWhileSpinning(_ me: UInt) -> Bool {
    for _ in 0..<Self.spinRounds {
      let word = word.load(ordering: .relaxed)
      let owner = word & Flag.owner
      if owner == 0 ? exchange(word, word | me) : owner == me {
        // Makes the previous owner's writes visible also if that owner gave the turn to this thread.
        atomicMemoryFence(ordering: .acquiring)
        return true
      }
    }
    return false
  }

  @usableFromInline
  @inline(never)
  borrowing func leaveBusy(_ me: UInt, _ previous: UInt) -> Bool {
    if previous == me { return true }
    while true {
      let word = word.load(ordering: .relaxed)
      if previous != 0 {
        // The previous owner, which sleeps, does any new work when it leaves.
        if exchange(word, word & ~Flag.owner | previous) { return true }
      } else if word & Flag.work != 0 {
        return false
      } else if word & Flag.waiterSleeps != 0 || word & Flag.waiterIsAwake != 0 && hasPassedOverForLong() {
        return TurnRegistry.shared.leave(self, me)
      } else if exchange(word, word & Flag.waiterIsAwake) {
        return true
      }
    }
  }

  /// Counts that the first waiting thread is passed over once more.
  ///
  /// - Returns: Whether that was too often, or for too long.
  private borrowing func hasPassedOverForLong() -> Bool {
    timesPassedOver.wrappingAdd(1, ordering: .relaxed).newValue >= Self.mostTimesPassedOver
      || monotonicNanoseconds() >= deadline.load(ordering: .relaxed)
  }

  @usableFromInline
  borrowing func exchange(_ word: UInt, _ next: UInt) -> Bool {
    self.word.compareExchange(
      expected: word, desired: next, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed
    ).exchanged
  }

  // MARK: Work for the owner

  /// Takes the turn if it is free, even if other threads wait for it.
  ///
  /// - Returns: The previous owner, for ``leave(_:_:)``: zero or this thread; `nil` if another thread has the turn.
  package borrowing func enterIfFree(_ me: UInt) -> UInt? {
    while true {
      let word = word.load(ordering: .relaxed)
      switch word & Flag.owner {
      case 0: if exchange(word, word | me) { return 0 }
      case me: return me
      default: return nil
      }
    }
  }

  /// Takes the turn if it is free. If another thread has it, marks it, so that its owner does the work that the caller
  /// has left.
  ///
  /// The caller stores the work in the critical section of its own lock in which it calls this, or before. The owner
  /// calls ``clearWork()`` before it takes the work out.
  ///
  /// - Returns: The previous owner, for ``leave(_:_:)``: zero or this thread; `nil` if another thread has the turn and
  ///   will do the work.
  @usableFromInline
  package borrowing func enterOrRequestWork(_ me: UInt) -> UInt? {
    while true {
      let word = word.load(ordering: .relaxed)
      switch word & Flag.owner {
      case 0: if exchange(word, word | me) { return 0 }
      case me: return me
      default: if exchange(word, word | Flag.work) { return nil }
      }
    }
  }

  /// Does work that only one thread may do at a time. If a thread is doing it already, that thread does it once more.
  ///
  /// The caller stores what there is to do before it calls this, and `work` does everything that it finds. If more is
  /// requested during `work`, by other threads or from inside it, `work` is called again afterwards, so it never
  /// recurses.
  @inlinable
  package borrowing func perform(_ work: () -> Void) {
    let me = currentThreadIdentity()
    guard let previous = enterOrRequestWork(me) else { return }
    if previous != 0 { return markWork() }
    repeat {
      clearWork()
      work()
    } while !leave(me, 0)
  }

  /// Whether the turn is marked: there is work for the owner.
  @inlinable
  package var hasWork: Bool { word.load(ordering: .relaxed) & Flag.work != 0 }

  /// Marks that there is work. For the owner, where it cannot do the work immediately.
  @usableFromInline
  package borrowing func markWork() {
    word.bitwiseOr(Flag.work, ordering: .relaxed)
  }

  /// Removes the mark. For the owner, before it takes the work out.
  @usableFromInline
  package borrowing func clearWork() {
    word.bitwiseAnd(~Flag.work, ordering: .acquiring)
  }
}
