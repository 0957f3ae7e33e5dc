import InterflowPrimitives

/// The upstream subscriptions of a subject, which `send(subscription:)` has added.
struct SubjectUpstreams {
  private var subscriptions: [any Subscription] = []
  private var cleanupThreshold = 8

  /// Whether values have been requested from the upstreams. New ones then receive a request immediately.
  var hasRequested = false

  var count: Int { subscriptions.count }

  /// - Returns: Subscriptions that will deliver nothing any more, which the caller releases.
  mutating func add(_ subscription: any Subscription) -> [any Subscription] {
    var ended: [any Subscription] = []
    // Completed subscriptions would accumulate if many publishers in turn send to the subject.
    if subscriptions.count >= cleanupThreshold {
      let all = subscriptions
      subscriptions = []
      for one in all {
        if (one as? UpstreamLink)?.hasDeliveredAll == true { ended.append(one) } else { subscriptions.append(one) }
      }
      cleanupThreshold = max(8, 2 * subscriptions.count)
    }
    subscriptions.append(subscription)
    return ended
  }

  /// - Returns: The subscriptions from which values are to be requested now: all of them the first time, and then none.
  mutating func takeUnrequested() -> [any Subscription] {
    if hasRequested { return [] }
    hasRequested = true
    return subscriptions
  }

  mutating func removeAll() -> [any Subscription] {
    let removed = subscriptions
    subscriptions = []
    return removed
  }
}

extension SubjectCore {
  /// Requests values from the upstreams, the first time that a subscriber has made a request.
  func requestFromUpstreams() {
    lock.lock()
    let subscriptions = upstreams.takeUnrequested()
    lock.unlock()
    for subscription in subscriptions { subscription.request(.unlimited) }
  }

  @usableFromInline
  func addUpstream(_ subscription: any Subscription) {
    lock.lock()
    let ended = upstreams.add(subscription)
    let hasRequested = upstreams.hasRequested
    lock.unlock()
    releaseOutsideLock(ended)
    if hasRequested { subscription.request(.unlimited) }
  }

  @usableFromInline
  func cancelUpstreams() {
    lock.lock()
    let subscriptions = upstreams.removeAll()
    lock.unlock()
    for subscription in subscriptions { subscription.cancel() }
  }
}
