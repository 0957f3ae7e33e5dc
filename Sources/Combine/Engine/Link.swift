import InterflowPrimitives
import Synchronization

/// Holds an operator's or a sink's one subscription to its upstream. A link waits for the subscription, is linked, or
/// has ended: from upstream's side with ``finish(from:keepsUpstream:)``, or from this side with ``sever(from:)``, which
/// cancels upstream.
@usableFromInline
class Link: EngineSubscription {
  /// What a link is, or a set of what it may be.
  @frozen
  @usableFromInline
  struct Phase: OptionSet {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    @inlinable static var waiting: Phase { Phase(rawValue: 1) }
    @inlinable static var linked: Phase { Phase(rawValue: 2) }
    @inlinable static var ended: Phase { Phase(rawValue: 4) }
    @inlinable static var notEnded: Phase { Phase(rawValue: 3) }
    @inlinable static var any: Phase { Phase(rawValue: 7) }
  }

  // The small variables are the last, so that those of a subclass need no additional memory.

  // The upstream's subscription, retained. Taking it out transfers the reference: every subscription does that once,
  // and counting references would cost as much as the lock. Guarded by `lock`, as is every change of the phase.
  @exclusivity(unchecked) private final var reference: Unmanaged<EngineSubscription>?

  final let lock = Lock()
  @usableFromInline final let phaseValue = Atomic<UInt8>(Phase.waiting.rawValue)
  @usableFromInline final let traits: LinkTraits

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

  @usableFromInline override var releasesSubscriberOnCancel: Bool {
    currentUpstream?.releasesSubscriberOnCancel ?? false
  }

  @inlinable final var phase: Phase { Phase(rawValue: phaseValue.load(ordering: .relaxed)) }

  /// With the lock: changes the phase.
  final func enter(_ phase: Phase) {
    lock.assertHeld()
    phaseValue.store(phase.rawValue, ordering: .relaxed)
  }

  /// Whether values are to be forwarded: the link has received a subscription, and has neither completed nor been
  /// cancelled.
  @inlinable
  final var isLinked: Bool { phase == .linked }

  /// Whether the link has completed or been cancelled.
  @inlinable
  final var hasEnded: Bool { phase == .ended }

  /// Whether the link has received a subscription, has completed, or has been cancelled.
  @inlinable
  final var hasBegun: Bool { phase != .waiting }

  /// Accepts the subscription. A second subscription, or one that arrives after the end, is cancelled.
  ///
  /// - Returns: Whether the subscription was accepted.
  @usableFromInline
  final func link(_ subscription: any Subscription) -> Bool {
    let upstream = EngineSubscription.retained(subscription)
    lock.lock()
    guard isWaiting else {
      lock.unlock()
      subscription.cancel()
      upstream.release()
      return false
    }
    store(upstream)
    enter(.linked)
    lock.unlock()
    return true
  }

  /// Ends the link because upstream has completed.
  ///
  /// - Parameters:
  ///   - phases: In which phases the completion counts. It is ignored otherwise.
  ///   - keepsUpstream: Whether the upstream's subscription is held until ``releaseUpstream()``, because a value that is
  ///     delivered later may still request more.
  /// - Returns: Whether the link ended now, so that the completion is to be forwarded.
  @usableFromInline
  final func finish(from phases: Phase = .linked, keepsUpstream: Bool = false) -> Bool {
    let (phase, upstream) = end(from: phases, keepsUpstream: keepsUpstream)
    upstream?.release()
    if phases.contains(phase) { return true }
    if phase == .waiting { receivedEarly("a completion") }
    return false
  }

  /// Ends the link from this side and cancels upstream.
  ///
  /// - Parameter phases: In which phases it ends. A link that waits for its subscription cancels it when it arrives.
  /// - Returns: The phase before.
  @usableFromInline
  @discardableResult
  final func sever(from phases: Phase = .any) -> Phase {
    let (phase, upstream) = end(from: phases)
    if let upstream {
      upstream._withUnsafeGuaranteedRef { $0.cancel() }
      upstream.release()
    }
    return phase
  }

  /// Ends the link, if it is in one of some phases.
  ///
  /// - Returns: The phase before, and the upstream's subscription, which the caller releases.
  final func end(
    from phases: Phase, keepsUpstream: Bool = false
  ) -> (phase: Phase, upstream: Unmanaged<EngineSubscription>?) {
    lock.lock()
    let phase = self.phase
    var upstream: Unmanaged<EngineSubscription>?
    if phases.contains(phase) {
      enter(.ended)
      if !keepsUpstream { upstream = takeUpstream() }
    }
    lock.unlock()
    return (phase, upstream)
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
    let (phase, upstream) = (self.phase, self.upstream)
    lock.unlock()
    if phase == .ended { return .terminal }
    return upstream.map { .subscribed($0.original) } ?? .awaitingSubscription
  }

  /// The child of a mirror that shows the state of the link.
  var shownState: Mirror.Child { ("status", status) }

  @usableFromInline override var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}

extension Link {
  /// Whether the link has received no subscription yet, and has not ended.
  @inlinable
  final var isWaiting: Bool { phase == .waiting }

  /// Releases the upstream's subscription after ``finish(from:keepsUpstream:)`` has kept it.
  @usableFromInline
  final func releaseUpstream() {
    lock.lock()
    let upstream = takeUpstream()
    lock.unlock()
    upstream?.release()
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
}
