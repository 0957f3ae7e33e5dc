import InterflowPrimitives

// Sending the subscription, and forwarding demand to the operator's publishers.
extension SerialSubscription {
  /// Records demand for ``forward(_:)``, which is called when the thread leaves the turn. With the turn.
  @usableFromInline
  final func addUnforwarded(_ more: Subscribers.Demand) {
    lock.lock()
    unforwarded += more
    lock.unlock()
    turn.markWork()
  }

  /// Takes the demand that ``forward(_:)`` has not been called with yet. The caller forwards it.
  ///
  /// - Returns: No demand if this is called from inside ``forward(_:)``.
  @usableFromInline
  final func takeUnforwarded(_ me: UInt) -> Subscribers.Demand {
    lock.lock()
    defer { lock.unlock() }
    guard forwardingThread != me else { return .none }
    let more = unforwarded
    unforwarded = .none
    return more
  }

  /// Calls ``forward(_:)`` until no demand is left to forward. Does nothing from inside ``forward(_:)``.
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

  /// Sends the subscriber its subscription, and then delivers the signals that have arrived.
  @usableFromInline
  final func sendSubscription() {
    let me = currentThreadIdentity()
    let previous = turn.enter(me)
    lock.lock()
    let downstream = self.downstream
    if !state.isOver { state.phase = .open }
    lock.unlock()
    downstream?.receive(subscription: self)
    // Signals that have arrived during the call are delivered by `serve()`, since a subclass may deliver elsewhere than
    // on this thread.
    lock.lock()
    hasSentSubscription = true
    let dropped = dropsUnrequestedAfterSubscription ? state.takeNewest(state.unrequestedCount) : []
    lock.unlock()
    releaseOutsideLock(dropped)
    while !turn.leave(me, previous) { turn.clearWork() }
    serve()
  }

  /// The subscriber; `nil` after completion or cancellation.
  @usableFromInline
  final var currentDownstream: Downstream? {
    lock.lock()
    let downstream = self.downstream
    lock.unlock()
    return downstream
  }
}
