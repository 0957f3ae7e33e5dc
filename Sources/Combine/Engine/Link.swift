import InterflowPrimitives
import Synchronization

/// Holds an operator's or a sink's one subscription to its upstream. A link waits for the subscription, is linked, or
/// has ended.
@usableFromInline
class Link: EngineSubscription {
  @frozen
  @usableFromInline
  enum Phase {
    @inlinable static var waiting: UInt8 { 0 }
    @inlinable static var linked: UInt8 { 1 }
    @inlinable static var ended: UInt8 { 2 }
  }

  // Guarded by `lock`: `reference`, and every change of `phase` and of `upstreamReleasesSubscriber`.
  @usableFromInline final let phase = Atomic<UInt8>(Phase.waiting)
  @usableFromInline final let upstreamReleasesSubscriber = Atomic(false)

  // Used by `Sink` alone, which says what guards it. It is declared here because it needs no additional memory here.
  @usableFromInline @exclusivity(unchecked) final var isDelivering = false

  @usableFromInline final let traits: LinkTraits

  final let lock = Lock()

  // The upstream's subscription, retained. Taking it out transfers the reference: every subscription does that once,
  // and counting references would cost as much as the lock.
  @exclusivity(unchecked) private final var reference: Unmanaged<EngineSubscription>?

  @usableFromInline
  init(_ traits: LinkTraits = []) {
    self.traits = traits
  }

  deinit {
    reference?.release()
  }

  /// With the lock: the upstream's subscription.
  final var upstream: EngineSubscription? {
    lock.assertHeld()
    return reference?.takeUnretainedValue()
  }

  /// With the lock, where there is no upstream: stores one.
  final func store(_ upstream: Unmanaged<EngineSubscription>) {
    lock.assertHeld()
    reference = upstream
  }

  /// With the lock: takes the upstream's subscription out. The caller releases it outside the lock.
  final func takeUpstream() -> Unmanaged<EngineSubscription>? {
    lock.assertHeld()
    // Plain assignments: `take()` is a generic call.
    let reference = self.reference
    self.reference = nil
    return reference
  }

  override var releasesSubscriberOnCancel: Bool { upstreamReleasesSubscriber.load(ordering: .relaxed) }

  /// Whether values are to be forwarded: the link has received a subscription, and has neither completed nor been
  /// cancelled.
  @inlinable
  final var isLinked: Bool { phase.load(ordering: .relaxed) == Phase.linked }

  /// Whether the link has completed or been cancelled.
  @inlinable
  final var hasEnded: Bool { phase.load(ordering: .relaxed) == Phase.ended }

  /// Whether the link has received a subscription, has completed, or has been cancelled.
  @inlinable
  final var hasBegun: Bool { phase.load(ordering: .relaxed) != Phase.waiting }

  /// Whether only the delivering thread can use what the subscriber holds: upstream releases a subscriber that has
  /// cancelled, and nothing else retains it.
  @inlinable
  final var isOwnedByDelivery: Bool {
    upstreamReleasesSubscriber.load(ordering: .relaxed) && !traits.contains(.isShared)
  }

  /// Accepts the subscription. A second subscription, or one that arrives after the end, is cancelled.
  ///
  /// - Returns: Whether the subscription was accepted.
  @usableFromInline
  final func link(_ subscription: any Subscription) -> Bool {
    let upstream = EngineSubscription.retained(subscription)
    let releasesSubscriberOnCancel = upstream._withUnsafeGuaranteedRef { $0.releasesSubscriberOnCancel }
    lock.lock()
    guard phase.load(ordering: .relaxed) == Phase.waiting else {
      lock.unlock()
      subscription.cancel()
      upstream.release()
      return false
    }
    store(upstream)
    upstreamReleasesSubscriber.store(releasesSubscriberOnCancel, ordering: .relaxed)
    phase.store(Phase.linked, ordering: .relaxed)
    lock.unlock()
    return true
  }

  /// Ends the link because upstream has completed.
  ///
  /// - Parameter evenIfWaiting: Whether a completion before the subscription ends the link too. It is ignored
  ///   otherwise.
  /// - Returns: Whether the link ended now, so that the completion is to be forwarded.
  @usableFromInline
  final func finish(evenIfWaiting: Bool = false) -> Bool {
    lock.lock()
    let phase = phase.load(ordering: .relaxed)
    guard phase == Phase.linked || evenIfWaiting && phase == Phase.waiting else {
      lock.unlock()
      if phase == Phase.waiting { receivedEarly("a completion") }
      return false
    }
    let upstream = end()
    lock.unlock()
    didFinish()
    upstream?.release()
    return true
  }

  /// Called when the link has ended because upstream has completed, for a subclass that has more to release.
  func didFinish() {}

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
    if let upstream {
      upstream._withUnsafeGuaranteedRef { $0.cancel() }
      upstream.release()
    }
    return wasLinked
  }

  /// Ends the link from this side and cancels upstream, if there is a subscription.
  ///
  /// - Returns: Whether it had not ended before, with or without a subscription.
  @usableFromInline
  final func terminate() -> Bool {
    lock.lock()
    let hadEnded = phase.load(ordering: .relaxed) == Phase.ended
    let upstream = end()
    lock.unlock()
    upstream?.takeRetainedValue().cancel()
    return !hadEnded
  }

  /// Ends the link from this side and cancels upstream, unless there is no subscription yet.
  ///
  /// - Returns: Whether it was linked until now.
  final func severIfLinked() -> Bool {
    lock.lock()
    let upstream = phase.load(ordering: .relaxed) == Phase.linked ? end() : nil
    lock.unlock()
    upstream?.takeRetainedValue().cancel()
    return upstream != nil
  }

  /// Ends the link from this side, for a subclass that cancels upstream itself.
  ///
  /// - Returns: The subscription that is to be cancelled.
  final func detach() -> EngineSubscription? {
    lock.lock()
    let upstream = end()
    lock.unlock()
    return upstream?.takeRetainedValue()
  }

  /// With the lock: ends the link.
  ///
  /// - Returns: The upstream's subscription, which the caller releases outside the lock.
  private final func end() -> Unmanaged<EngineSubscription>? {
    lock.assertHeld()
    phase.store(Phase.ended, ordering: .relaxed)
    return takeUpstream()
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    if demand == .none, traits.contains(.ignoresEmptyRequests) { return }
    lock.lock()
    let upstream = reference?.retain()
    lock.unlock()
    if let upstream {
      upstream._withUnsafeGuaranteedRef { $0.request(demand) }
      upstream.release()
    }
  }

  @usableFromInline
  override func cancel() {
    sever()
  }

  /// Called for a signal that arrives before the subscription. Traps if that is a programming error for this operator.
  private final func receivedEarly(_ signal: StaticString) {
    guard traits.contains(.trapsEarlySignals) else { return }
    fatalError("\(description) received \(signal) before it received a subscription")
  }

  /// Ignores a value that arrives before the subscription or after the end, or traps if the link's traits say so.
  ///
  /// - Returns: No demand, for a `receive` to return.
  @usableFromInline
  @inline(never)
  final func refuse() -> Subscribers.Demand {
    if isWaiting { receivedEarly("a value") }
    return .none
  }

  /// Serves a request made to the operator's subscriber object, which is a subscription as well.
  @usableFromInline
  final func forward(_ demand: Subscribers.Demand) {
    if isWaiting, !traits.contains(.servesEarlyRequests) { receivedEarly("a request") } else { request(demand) }
  }

  /// Serves a cancellation of the operator's subscriber object, which is a subscription as well.
  @usableFromInline
  final func forwardCancellation() {
    if isWaiting, traits.isDisjoint(with: [.servesEarlyCancellation, .trapsEarlySignals]) { return }
    cancel()
  }

  /// The description of the upstream's subscription, while there is one.
  final var upstreamDescription: String? {
    lock.lock()
    let upstream = self.upstream
    lock.unlock()
    return upstream.map { $0.description }
  }

  /// The state of the link, for a mirror.
  final var status: SubscriptionStatus {
    lock.lock()
    let (phase, upstream) = (self.phase.load(ordering: .relaxed), self.upstream)
    lock.unlock()
    if phase == Phase.ended { return .terminal }
    return upstream.map { .subscribed($0.original) } ?? .awaitingSubscription
  }

  /// The child of a mirror that shows the state of the link.
  var shownState: Mirror.Child { ("status", status) }

  @usableFromInline override var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}

extension Link {
  /// Whether the link has received no subscription yet, and has not ended.
  @inlinable
  final var isWaiting: Bool { phase.load(ordering: .relaxed) == Phase.waiting }

  /// Ends the link because upstream has completed, but holds the upstream's subscription until ``releaseUpstream()``,
  /// because a value that is delivered later may still request more.
  ///
  /// - Returns: Whether the link ended now, so that the completion is to be forwarded.
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
  /// - Returns: The phase before.
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

/// The state of a link, as a mirror shows it.
enum SubscriptionStatus {
  case awaitingSubscription
  case subscribed(any Subscription)
  case terminal

  /// The upstream's subscription, if there is one.
  var subscription: (any Subscription)? {
    if case .subscribed(let subscription) = self { subscription } else { nil }
  }
}

/// Fixed properties of an operator's links: how they treat signals that arrive early, and empty requests.
@frozen
@usableFromInline
struct LinkTraits: OptionSet {
  @usableFromInline let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// A request before the subscription is served as a later one is, by an override that does something with it. It is
  /// ignored otherwise.
  @inlinable static var servesEarlyRequests: LinkTraits { LinkTraits(rawValue: 1) }
  /// A cancellation before the subscription is served as a later one is: the subscription is cancelled when it comes,
  /// unless an override does something else. It is ignored otherwise.
  @inlinable static var servesEarlyCancellation: LinkTraits { LinkTraits(rawValue: 16) }
  /// A value, a completion or a request before the subscription is a programming error, as with Apple's. A cancellation
  /// is not: it cancels the subscription when that arrives.
  @inlinable static var trapsEarlySignals: LinkTraits { LinkTraits(rawValue: 2) }
  /// A request for no values is not forwarded.
  @inlinable static var ignoresEmptyRequests: LinkTraits { LinkTraits(rawValue: 4) }
  /// Objects other than upstream and a cancellable may retain the subscriber.
  @inlinable static var isShared: LinkTraits { LinkTraits(rawValue: 8) }
}
