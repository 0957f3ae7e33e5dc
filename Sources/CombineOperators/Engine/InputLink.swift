import Combine
import InterflowPrimitives
import Synchronization

/// The subscription to one of an operator's publishers. It waits for the subscription, is linked, has finished, or has
/// been cancelled.
@usableFromInline
class InputLink {
  @usableFromInline
  enum Phase: UInt8 {
    case waiting, linked, finished, cancelled
  }

  // Guarded by `lock`: `upstream`, `pending`, `isHeld`, and every change of the phase.
  final let lock = Lock()
  @usableFromInline final let phase = Atomic(Phase.waiting.rawValue)
  private final var upstream: (any Subscription)?
  /// Demand that upstream has not received; of a replaceable link, that upstream has not met.
  private final var pending: UInt
  private final var isHeld: Bool
  @usableFromInline final let isReplaceable: Bool

  @usableFromInline
  init(_ demand: InputDemand) {
    pending = demand == .unlimited ? PackedDemand.unlimited : 0
    isHeld = demand == .held
    isReplaceable = demand == .replaceable
  }

  /// Whether values count: the subscription has arrived, and there was neither a completion nor a cancellation.
  @inlinable final var isLinked: Bool { phase.load(ordering: .relaxed) == Phase.linked.rawValue }

  @inlinable final var hasEnded: Bool { phase.load(ordering: .relaxed) >= Phase.finished.rawValue }

  /// Accepts the subscription. A second one, or one that arrives after the end, is cancelled.
  @usableFromInline
  final func attach(_ subscription: any Subscription) {
    lock.lock()
    guard !isLinked, !hasEnded else {
      lock.unlock()
      return subscription.cancel()
    }
    upstream = subscription
    enter(.linked)
    let demand = takePending()
    lock.unlock()
    if demand != 0 { subscription.request(Subscribers.Demand(count: demand)) }
  }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    lock.lock()
    let upstream = isHeld ? nil : self.upstream
    if upstream == nil || isReplaceable { pending = PackedDemand.sum(pending, demand.count) }
    lock.unlock()
    upstream?.request(demand)
  }

  /// Requests what has been held back until now.
  @usableFromInline
  final func start() {
    lock.lock()
    isHeld = false
    let upstream = self.upstream
    let demand = upstream == nil ? 0 : takePending()
    lock.unlock()
    if demand != 0 { upstream?.request(Subscribers.Demand(count: demand)) }
  }

  /// Counts a value of a replaceable upstream.
  @usableFromInline
  final func spend() {
    lock.lock()
    if pending > 0, pending < PackedDemand.unlimited { pending -= 1 }
    lock.unlock()
  }

  /// Ends the link because its publisher has completed.
  ///
  /// - Returns: Whether it ended now.
  @usableFromInline
  final func finish() -> Bool {
    lock.lock()
    let endsNow = !hasEnded
    if endsNow { enter(.finished) }
    let completed = upstream
    upstream = nil
    lock.unlock()
    releaseOutsideLock(completed)
    return endsNow
  }

  /// Waits for a subscription of another publisher, after the first has completed.
  ///
  /// - Returns: Whether the next publisher is to be subscribed to.
  @usableFromInline
  final func reopen() -> Bool {
    lock.lock()
    let reopens = phase.load(ordering: .relaxed) == Phase.finished.rawValue
    if reopens { enter(.waiting) }
    lock.unlock()
    return reopens
  }

  @usableFromInline
  final func cancel() {
    detach()?.cancel()
  }

  /// Ends the link without a call, so that nothing more is accepted.
  ///
  /// - Returns: The subscription, which the caller cancels.
  @usableFromInline
  final func detach() -> (any Subscription)? {
    lock.lock()
    enter(.cancelled)
    let detached = upstream
    upstream = nil
    lock.unlock()
    return detached
  }

  // MARK: With the lock

  private final func enter(_ next: Phase) {
    lock.assertHeld()
    phase.store(next.rawValue, ordering: .relaxed)
  }

  private final func takePending() -> UInt {
    lock.assertHeld()
    guard !isHeld else { return 0 }
    defer { if !isReplaceable { pending = 0 } }
    return pending
  }
}
