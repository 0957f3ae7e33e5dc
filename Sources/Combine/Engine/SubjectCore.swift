import InterflowPrimitives
import Synchronization

/// What both subjects are made of: the gate that makes signals serial, the subscribers, and the value, if it holds one.
///
/// Whoever owns the gate delivers. A signal from inside a delivery, on the owner's own thread, is delivered at once,
/// after what other threads have queued; a signal from another thread is queued, and the owner delivers it before it
/// gives the gate up. No lock is held while a subscriber is called.
@usableFromInline
final class SubjectCore<Output, Failure: Error>: @unchecked Sendable {  // See "Guarded by" below.
  @usableFromInline typealias Member = SubjectSubscription<Output, Failure>

  /// What passes through the gate.
  @usableFromInline
  enum Signal {
    case value(Output)
    case completion(Subscribers.Completion<Failure>)
    case join(Member)
    case ready(Member)
    case current(Member)
    case leave(Member)

    /// Whether it makes no difference to the order of what subscribers see. Then it is never a reason to deliver what is
    /// queued before its time.
    var concernsOnlyOne: Bool {
      switch self {
      case .current, .leave: true
      case .value, .completion, .join, .ready: false
      }
    }
  }

  /// The gate's owner, as its thread's identity, and two flags in the bits that an identity leaves clear.
  @frozen
  @usableFromInline
  enum Gate {
    /// Something is queued, so that the owner cannot just walk away.
    @inlinable static var queued: UInt { 1 }
    /// The completion has been sent.
    @inlinable static var closed: UInt { 2 }
    @inlinable static var owner: UInt { ~3 }
  }

  @usableFromInline let gate = Atomic<UInt>(0)

  // Guarded by `lock`: `queue`, `queuedValues`, `held`, `delivered`, `completion`, `upstreams`,
  // `sweepUpstreamsAt`, and every change of `drawn`.
  // Guarded by the gate, so touched by its owner alone: `batch`, `roster`, `departed`, `mustSweep`, `reached`, `end`.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var queue = RingBuffer<Signal>()
  /// What the owner has taken out of `queue`, all at once, and is delivering; ahead of what is in there now. Always empty
  /// where the subject holds a value, which has to change together with the queue.
  @usableFromInline @exclusivity(unchecked) var batch = RingBuffer<Signal>()
  @exclusivity(unchecked) var queuedValues = 0
  @usableFromInline @exclusivity(unchecked) var held: Output?
  @exclusivity(unchecked) var delivered: Output?
  @exclusivity(unchecked) var completion: Subscribers.Completion<Failure>?
  @exclusivity(unchecked) var upstreams: [any Subscription] = []
  @exclusivity(unchecked) var sweepUpstreamsAt = 8
  let drawn: Atomic<Bool>
  @usableFromInline @exclusivity(unchecked) var roster = Roster()
  @exclusivity(unchecked) var departed: [Member] = []
  @usableFromInline @exclusivity(unchecked) var mustSweep = false
  /// Where the delivery of the value held is, and where it will end; `end` is zero when none is under way.
  @usableFromInline @exclusivity(unchecked) var reached = 0
  @usableFromInline @exclusivity(unchecked) var end = 0

  /// Whether the subject holds a value that a subscriber gets with its first demand.
  @usableFromInline let replays: Bool

  /// - Parameter held: The value that the subject holds; `nil` where it holds none.
  @usableFromInline
  init(holding held: Output?) {
    self.held = held
    replays = held != nil
    drawn = Atomic(held != nil)
  }

  deinit {
    roster.deallocate()
  }
}

// MARK: - Sending

extension SubjectCore {
  /// Sends a value that the subject does not hold.
  @inlinable
  func pass(_ value: Output) {
    let me = currentThreadIdentity()
    if gate.compareExchange(
      expected: 0, desired: me, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged {
      deliver(value)
      leaveGate(me)
    } else if gate.load(ordering: .relaxed) == me {
      deliver(value)
    } else {
      passBusy(value, me)
    }
  }

  /// As ``perform(_:)`` does with a value, where the types are known: threads that get in each other's way come here.
  @inlinable
  @inline(never)
  func passBusy(_ value: Output, _ me: UInt) {
    lock.lock()
    while true {
      let word = gate.load(ordering: .relaxed)
      if word & Gate.closed != 0 {
        lock.unlock()
      } else if word & Gate.owner == 0 {
        guard exchange(word, word | me) else { continue }
        lock.unlock()
        deliver(value)
        settle()
      } else if word & Gate.owner == me {
        lock.unlock()
        perform(.value(value))
      } else {
        guard exchange(word, word | Gate.queued) else { continue }
        queue.append(.value(value))
        lock.unlock()
      }
      return
    }
  }

  /// Sends a value and holds it.
  @inlinable
  func hold(_ value: Output) {
    let me = currentThreadIdentity()
    lock.lock()
    if gate.compareExchange(
      expected: 0, desired: me, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged {
      let previous = held
      held = value
      lock.unlock()
      withExtendedLifetime(previous) { deliverHeld(value) }
      leaveGate(me)
    } else {
      lock.unlock()
      perform(.value(value))
    }
  }

  @inlinable
  func deliver(_ value: Output) {
    // Those who join from inside are not sent this value.
    let count = roster.count
    var index = 0
    while index < count {
      roster[index]?._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Member.self).offer(value) }
      index &+= 1
    }
  }

  /// Delivers a value that the subject holds, so that a request from inside can tell whom it will still reach.
  @inlinable
  func deliverHeld(_ value: Output) {
    let count = roster.count
    var index = 0
    end = count
    while index < count {
      reached = index
      roster[index]?._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Member.self).offer(value) }
      index &+= 1
    }
    // For a delivery around this one too: what it delivers is no longer the value held.
    end = 0
  }

  @inlinable
  func leaveGate(_ me: UInt) {
    if mustSweep
      || !gate.compareExchange(
        expected: me, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed
      )
      .exchanged
    {
      settle()
    }
  }
}
