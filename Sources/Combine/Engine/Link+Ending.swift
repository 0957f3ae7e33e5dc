import Synchronization

extension Link {
  /// Whether neither the subscription nor the end has come.
  @inlinable
  final var isWaiting: Bool { phase.load(ordering: .relaxed) == Phase.waiting }

  /// Ends the link because upstream has completed, and keeps the upstream's subscription until ``releaseUpstream()``: a
  /// value that is delivered later may still add to the demand.
  ///
  /// - Returns: Whether the link ended now, so that the completion is to be passed on.
  final func finishKeepingUpstream() -> Bool {
    lock.lock()
    let endsNow = phase.load(ordering: .relaxed) == Phase.linked
    if endsNow { phase.store(Phase.ended, ordering: .relaxed) }
    lock.unlock()
    return endsNow
  }

  /// Releases the upstream's subscription after ``finishKeepingUpstream()``.
  @usableFromInline
  final func releaseUpstream() {
    lock.lock()
    let upstream = takeUpstream()
    lock.unlock()
    upstream?.release()
  }

  /// Ends the link from this side, also before there is a subscription, and cancels upstream.
  ///
  /// - Returns: The phase until now.
  final func severFromAnyPhase() -> UInt8 {
    lock.lock()
    let phase = self.phase.load(ordering: .relaxed)
    self.phase.store(Phase.ended, ordering: .relaxed)
    let upstream = takeUpstream()
    lock.unlock()
    upstream?.takeRetainedValue().cancel()
    return phase
  }

  /// The upstream's subscription, while there is one.
  final var currentUpstream: EngineSubscription? {
    lock.lock()
    let upstream = self.upstream
    lock.unlock()
    return upstream
  }
}
