import InterflowPrimitives
import Synchronization

/// The one subscription that an operator has upstream: waiting for it, linked, or ended.
///
/// This is also what an operator that forwards demand hands to its subscriber as a subscription. It refers to nothing
/// downstream, so a subscriber that keeps it after the end keeps nothing else alive.
@usableFromInline
class UpstreamLink: Subscription, CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  @frozen
  @usableFromInline
  enum Phase {
    @inlinable static var waiting: UInt8 { 0 }
    @inlinable static var linked: UInt8 { 1 }
    @inlinable static var ended: UInt8 { 2 }
  }

  // Guarded by `lock`: `upstream`, and every change of `phase`.
  @usableFromInline final let phase = Atomic<UInt8>(Phase.waiting)
  final let lock = Lock()
  @exclusivity(unchecked) final var upstream: (any Subscription)?

  /// What the subscription is called where it describes itself: the operator's name.
  @usableFromInline final let description: String

  @usableFromInline
  init(_ description: String) {
    self.description = description
  }

  /// Whether values are to be passed on: there is a subscription, and neither completion nor cancellation yet.
  @inlinable
  final var isLinked: Bool { phase.load(ordering: .relaxed) == Phase.linked }

  /// Whether completion or cancellation has come.
  @inlinable
  final var hasEnded: Bool { phase.load(ordering: .relaxed) == Phase.ended }

  /// Takes the subscription. A second one, or one that comes after the end, is cancelled, as the rules ask.
  ///
  /// - Returns: Whether it was taken.
  @usableFromInline
  final func link(_ subscription: any Subscription) -> Bool {
    lock.lock()
    guard phase.load(ordering: .relaxed) == Phase.waiting else {
      lock.unlock()
      subscription.cancel()
      return false
    }
    upstream = subscription
    phase.store(Phase.linked, ordering: .relaxed)
    lock.unlock()
    return true
  }

  /// Ends the link because upstream has completed.
  ///
  /// - Returns: Whether it was linked until now, so that the completion is to be passed on.
  @usableFromInline
  final func finish() -> Bool {
    endedPhase() == Phase.linked
  }

  /// Ends the link because upstream has completed, for a subscriber that takes signals without a subscription too.
  ///
  /// - Returns: Whether it had not ended before.
  @usableFromInline
  final func finishEvenUnlinked() -> Bool {
    endedPhase() != Phase.ended
  }

  /// - Returns: The phase before.
  private final func endedPhase() -> UInt8 {
    lock.lock()
    let last = phase.load(ordering: .relaxed)
    let upstream = end()
    lock.unlock()
    hasFinished()
    return withExtendedLifetime(upstream) { last }
  }

  /// The link has ended because upstream has completed: for a subclass that holds more than the upstream.
  func hasFinished() {}

  /// Ends the link from this side and cancels upstream.
  ///
  /// - Returns: Whether it was linked until now.
  @usableFromInline
  @discardableResult
  final func sever() -> Bool {
    lock.lock()
    let wasLinked = phase.load(ordering: .relaxed) == Phase.linked
    let upstream = end()
    lock.unlock()
    upstream?.cancel()
    return wasLinked
  }

  /// Under the lock: ends, and gives out what to release once the lock is free.
  private final func end() -> (any Subscription)? {
    phase.store(Phase.ended, ordering: .relaxed)
    return upstream.take()
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    lock.lock()
    let upstream = self.upstream
    lock.unlock()
    upstream?.request(demand)
  }

  @usableFromInline
  func cancel() {
    sever()
  }

  @usableFromInline var playgroundDescription: Any { description }

  @usableFromInline var customMirror: Mirror {
    lock.lock()
    let upstream = self.upstream
    lock.unlock()
    return Mirror(self, children: ["upstream": upstream as Any])
  }
}
