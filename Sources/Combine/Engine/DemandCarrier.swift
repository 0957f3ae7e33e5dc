import InterflowPrimitives
import Synchronization

/// A link whose upstream may be replaced: it counts the demand that has not been met, for the next one.
@usableFromInline
class DemandCarrier: UpstreamLink {
  @inlinable static var unlimited: UInt { 1 << 62 }

  /// The demand that has not been met; ``unlimited`` stays.
  @usableFromInline final let outstanding = Atomic<UInt>(0)

  /// Whether the next upstream may be anybody's, and keep a subscriber that has cancelled. Set before there is a first.
  @usableFromInline @exclusivity(unchecked) final var nextMayKeep = false

  final override var releasesSubscriberOnCancel: Bool { !nextMayKeep && super.releasesSubscriberOnCancel }

  /// Counts a value that is about to be delivered.
  @inlinable
  final func spend() {
    var old = outstanding.load(ordering: .relaxed)
    while old != 0, old < Self.unlimited {
      let (exchanged, original) = outstanding.compareExchange(
        expected: old, desired: old - 1, ordering: .relaxed)
      if exchanged { return }
      old = original
    }
  }

  /// Counts what the subscriber has requested.
  @inlinable
  final func add(_ demand: Subscribers.Demand) {
    if demand == .none { return }
    let more = Swift.min(demand.rawValue, Self.unlimited)
    var old = outstanding.load(ordering: .relaxed)
    while old < Self.unlimited {
      let (exchanged, original) = outstanding.compareExchange(
        expected: old, desired: Swift.min(old + more, Self.unlimited), ordering: .relaxed)
      if exchanged { return }
      old = original
    }
  }

  /// The demand that has not been met.
  final var outstandingDemand: Subscribers.Demand {
    let demand = outstanding.load(ordering: .relaxed)
    return demand >= Self.unlimited ? .unlimited : .max(Int(demand))
  }

  /// Takes the first upstream's subscription and requests from it what has been requested already.
  @usableFromInline
  final func attach(_ subscription: any Subscription) {
    lock.lock()
    guard phase.load(ordering: .relaxed) == Phase.waiting else {
      lock.unlock()
      subscription.cancel()
      return
    }
    phase.store(Phase.linked, ordering: .relaxed)
    lock.unlock()
    relink(subscription)
  }

  /// Releases an upstream that has completed, to wait for the next.
  ///
  /// - Returns: Whether there is to be a next one: not after cancellation.
  @usableFromInline
  final func unlink() -> Bool {
    lock.lock()
    let completed = takeUpstream()
    let isLinked = self.isLinked
    lock.unlock()
    completed?.release()
    return isLinked
  }

  /// Takes the next upstream's subscription and requests the demand that has not been met; cancels it after the end.
  @usableFromInline
  final func relink(_ subscription: any Subscription) {
    let next = EngineSubscription.retained(subscription)
    lock.lock()
    guard isLinked, upstream == nil else {
      lock.unlock()
      subscription.cancel()
      next.release()
      return
    }
    keep(next)
    let demand = outstandingDemand
    lock.unlock()
    if demand != .none { subscription.request(demand) }
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    lock.lock()
    add(demand)
    let upstream = self.upstream
    lock.unlock()
    upstream?.request(demand)
  }
}
