import InterflowPrimitives

/// What has been requested of an operator and goes on to its publishers, and the moment at which the subscriber may
/// begin to request.
extension SerialSubscription {
  /// Has ``forward(_:)`` called with more demand when the turn is given up. With the turn.
  @usableFromInline
  final func addUnforwarded(_ more: Subscribers.Demand) {
    lock.lock()
    unforwarded += more
    lock.unlock()
    turn.markWork()
  }

  /// What has been requested and ``forward(_:)`` has not been called with, for the caller to see to; nothing from
  /// inside that.
  @usableFromInline
  final func takeUnforwarded(_ me: UInt) -> Subscribers.Demand {
    lock.lock()
    defer { lock.unlock() }
    guard forwardingThread != me else { return .none }
    let more = unforwarded
    unforwarded = .none
    return more
  }

  @usableFromInline
  final func forwardRequests(_ me: UInt) {
    lock.lock()
    guard forwardingThread != me else { return lock.unlock() }
    let isFirst = forwardingThread == 0
    if isFirst { forwardingThread = me }
    while unforwarded != .none || needsForwarding {
      let more = unforwarded
      unforwarded = .none
      needsForwarding = false
      lock.unlock()
      forward(more)
      lock.lock()
    }
    if isFirst { forwardingThread = 0 }
    lock.unlock()
  }

  /// Sends the subscriber its subscription, and then what has come in.
  @usableFromInline
  final func sendSubscription() {
    let me = currentThreadIdentity()
    let previous = turn.enter(me)
    lock.lock()
    let downstream = self.downstream
    if !state.isOver { state.phase = .open }
    lock.unlock()
    downstream?.receive(subscription: self)
    // What has been left meanwhile is done where this operator delivers, which need not be here.
    lock.lock()
    hasSentSubscription = true
    let dropped = dropsUnrequestedAfterSubscription ? state.takeNewest(state.unrequestedCount) : []
    lock.unlock()
    releaseOutsideLock(dropped)
    while !turn.leave(me, previous) { turn.clearWork() }
    serve()
  }

  /// The subscriber, until the end.
  @usableFromInline
  final var currentDownstream: Downstream? {
    lock.lock()
    let downstream = self.downstream
    lock.unlock()
    return downstream
  }
}
