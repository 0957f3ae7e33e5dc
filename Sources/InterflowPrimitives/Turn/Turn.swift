import Synchronization

/// The right to deliver signals to somebody: one thread has it at a time, and keeps it while it calls out.
///
/// A turn is not a lock held while calling out. Its owner re-enters it, so what it sends from inside a call is
/// delivered at once. And nobody waits for a thread that itself waits, directly or through others, for this one: all
/// the threads in such a circle sleep, so the one that would close it borrows the turn, delivers as if nested in the
/// sleeping owner's delivery, and gives the turn back.
///
/// The rest of what is done by the owner alone is left to it as *work*: ``requestWork()`` marks the turn, and an owner
/// that finds the mark does the work before it leaves. What the work is, and what guards it, is the caller's business.
///
/// A free turn may be taken by a running thread before those that wait, since that costs no switch between threads; a
/// waiting thread is passed over a bounded number of times and for a bounded time, and then has the turn handed over.
@frozen
@usableFromInline
package struct Turn: ~Copyable {
  /// The owner, as its thread's identity, and three flags in bits that an identity leaves clear.
  @usableFromInline let word = Atomic<UInt>(0)

  /// How often the first of the waiting threads, which is awake, has been passed over.
  let timesPassedOver = Atomic<UInt32>(0)
  /// When the first of the waiting threads, which is awake, has the turn handed over at the latest, in nanoseconds.
  let deadline = Atomic<UInt64>(0)

  @frozen
  @usableFromInline
  enum Flag {
    /// A thread sleeps until it has the turn: whoever leaves looks after it.
    @inlinable static var waiterSleeps: UInt { 1 }
    /// The first of the waiting threads is awake and tries to take the turn: whoever leaves counts what it misses.
    @inlinable static var waiterIsAwake: UInt { 2 }
    /// There is work for the owner to do before it leaves.
    @inlinable static var work: UInt { 4 }
    @inlinable static var owner: UInt { ~15 }
  }

  /// How many rounds a thread looks for a free turn before it goes to sleep.
  static var spinRounds: Int { 1_000 }
  /// How often a waiting thread is passed over before it has the turn handed over.
  static var mostTimesPassedOver: UInt32 { 128 }

  @inlinable
  package init() {}

  // MARK: Entering and leaving

  /// Waits for the turn and takes it; on the thread that has it already, enters it once more.
  ///
  /// - Parameter me: The identity of the current thread.
  /// - Returns: Who had the turn before, for ``leave(_:_:)``: zero where nobody had.
  @inlinable
  package borrowing func enter(_ me: UInt) -> UInt {
    if tryEnter(me) { return 0 }
    return enterBusy(me)
  }

  /// Takes the turn if nobody has it and nobody waits for it.
  @inlinable
  package borrowing func tryEnter(_ me: UInt) -> Bool {
    word.compareExchange(expected: 0, desired: me, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged
  }

  /// Gives the turn back to whoever had it before ``enter(_:)``.
  ///
  /// - Returns: `false` where there is work to be done first: the caller still has the turn.
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

  /// Looks for a moment whether the turn becomes free.
  ///
  /// - Returns: Whether this thread has it: taken, or handed over.
  borrowing func takesWhileSpinning(_ me: UInt) -> Bool {
    for _ in 0..<Self.spinRounds {
      let word = word.load(ordering: .relaxed)
      let owner = word & Flag.owner
      if owner == 0 ? exchange(word, word | me) : owner == me {
        // What its previous owner wrote is to be seen where it was handed over, too.
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
        // The owner sleeps and does the work that has come meanwhile when it leaves.
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

  /// Counts that the thread that tries to take the turn is passed over once more.
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

  /// Takes the turn if nobody has it, also before threads that wait for it.
  ///
  /// - Returns: Who had the turn before, for ``leave(_:_:)``: zero or this thread; `nil` where another thread has it.
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

  /// Takes the turn if nobody has it, or else marks it, so that its owner does the work that the caller has left.
  ///
  /// The caller makes the work known in the same critical section of its own lock in which it calls this, and the owner
  /// takes it out in one with ``clearWork()``.
  ///
  /// - Returns: Who has the turn now, if that is this thread, for ``leave(_:_:)``: zero where it has been taken, this
  ///   thread where it had it already; `nil` where another thread has it and will do the work.
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

  /// Does work that one thread at a time does, or has the thread that does it do it once more.
  ///
  /// What there is to do is known before this is called, and `work` does everything that it finds. It is called again
  /// after itself where more has been requested meanwhile, by other threads or from inside it, so it never recurses.
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

  /// Whether work has been left for the owner.
  @inlinable
  package var hasWork: Bool { word.load(ordering: .relaxed) & Flag.work != 0 }

  /// Marks that there is work, for the owner that cannot do it at once.
  @usableFromInline
  package borrowing func markWork() {
    word.bitwiseOr(Flag.work, ordering: .relaxed)
  }

  /// Says that the owner has taken the work out.
  @usableFromInline
  package borrowing func clearWork() {
    word.bitwiseAnd(~Flag.work, ordering: .acquiring)
  }
}
