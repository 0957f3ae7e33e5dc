import InterflowPrimitives

/// A link whose upstream may be replaced: it counts the demand that has not been met, for the next one.
@usableFromInline
class ReplaceableLink: UpstreamLink {
  /// The demand that has not been met.
  @usableFromInline final let outstanding = PackedDemand()

  /// Whether the next upstream may be anybody's, and keep a subscriber that has cancelled. Set before there is a first.
  @usableFromInline @exclusivity(unchecked) final var successorMayRetainSubscriber = false

  final override var releasesSubscriberOnCancel: Bool {
    !successorMayRetainSubscriber && super.releasesSubscriberOnCancel
  }

  /// Counts a value that is about to be delivered.
  @inlinable
  final func spend() { outstanding.spend() }

  /// Counts what the subscriber has requested.
  @inlinable
  final func add(_ demand: Subscribers.Demand) {
    if demand != .none { outstanding.add(demand.rawValue) }
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
    store(next)
    let demand = Subscribers.Demand(packed: outstanding.load())
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
