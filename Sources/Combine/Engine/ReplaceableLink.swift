import InterflowPrimitives

/// A link whose upstream can be replaced by another. It counts the demand that has not been met, and requests it from
/// the next upstream.
@usableFromInline
class ReplaceableLink: UpstreamLink {
  /// The demand that has not been met.
  @usableFromInline final let outstanding = PackedDemand()

  /// Whether the next upstream may retain a subscriber that has cancelled, as one of another module may. Set before the
  /// first subscription.
  @usableFromInline @exclusivity(unchecked) final var successorMayRetainSubscriber = false

  @usableFromInline final override var releasesSubscriberOnCancel: Bool {
    !successorMayRetainSubscriber && super.releasesSubscriberOnCancel
  }

  /// Counts a value that is about to be delivered.
  @inlinable
  final func spend() { outstanding.spend() }

  /// Counts demand that the subscriber has requested.
  @inlinable
  final func add(_ demand: Subscribers.Demand) {
    if demand != .none { outstanding.add(demand.rawValue) }
  }

  /// Accepts the first upstream's subscription, and requests the demand that has been counted already.
  @usableFromInline
  final func attach(_ subscription: any Subscription) {
    lock.lock()
    guard isWaiting else {
      lock.unlock()
      subscription.cancel()
      return
    }
    enter(.linked)
    lock.unlock()
    relink(subscription)
  }

  /// Releases the subscription of an upstream that has completed; ``relink(_:)`` replaces it.
  ///
  /// - Returns: Whether the next upstream is to be subscribed to: not after cancellation.
  @usableFromInline
  final func unlink() -> Bool {
    lock.lock()
    let completed = takeUpstream()
    let isLinked = self.isLinked
    lock.unlock()
    completed?.release()
    return isLinked
  }

  /// Accepts the next upstream's subscription and requests the demand that has not been met. After the end, cancels it.
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
