/// The publishers that feed a subject.
struct SubjectUpstreams {
  private var subscriptions: [any Subscription] = []
  private var cleanupThreshold = 8

  /// Whether the publishers have been asked for their values, as from the first request of a subscriber on.
  var hasRequested = false

  var count: Int { subscriptions.count }

  mutating func add(_ subscription: any Subscription) {
    // Those that have completed would pile up in a subject that many publishers pass through.
    if subscriptions.count >= cleanupThreshold {
      subscriptions.removeAll { ($0 as? UpstreamLink)?.hasEnded == true }
      cleanupThreshold = max(8, 2 * subscriptions.count)
    }
    subscriptions.append(subscription)
  }

  /// - Returns: Who is to be asked now.
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
  /// Requests their values from the publishers that feed the subject, once a subscriber has requested some.
  func requestFromUpstreams() {
    lock.lock()
    let subscriptions = upstreams.takeUnrequested()
    lock.unlock()
    for subscription in subscriptions { subscription.request(.unlimited) }
  }

  @usableFromInline
  func addUpstream(_ subscription: any Subscription) {
    lock.lock()
    upstreams.add(subscription)
    let hasRequested = upstreams.hasRequested
    lock.unlock()
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
