import InterflowPrimitives
import Synchronization

/// The one subscription that somebody has upstream: waiting for it, linked, or ended.
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

  // For a sink, which says what guards it, in room that is there anyway.
  @usableFromInline @exclusivity(unchecked) final var isDelivering = false

  @usableFromInline final let traits: LinkTraits

  final let lock = Lock()

  // The upstream, retained: it is taken out without counting, which every subscription does once, and counting costs as
  // much as the lock.
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

  /// With the lock: takes the upstream out, for the caller to release without the lock.
  final func takeUpstream() -> Unmanaged<EngineSubscription>? {
    lock.assertHeld()
    // Plain assignments: `take()` is a generic call.
    let reference = self.reference
    self.reference = nil
    return reference
  }

  override var releasesSubscriberOnCancel: Bool { upstreamReleasesSubscriber.load(ordering: .relaxed) }

  /// Whether values are to be passed on: there is a subscription, and neither completion nor cancellation yet.
  @inlinable
  final var isLinked: Bool { phase.load(ordering: .relaxed) == Phase.linked }

  /// Whether completion or cancellation has come.
  @inlinable
  final var hasEnded: Bool { phase.load(ordering: .relaxed) == Phase.ended }

  /// Whether there has been a subscription, or completion or cancellation.
  @inlinable
  final var hasBegun: Bool { phase.load(ordering: .relaxed) != Phase.waiting }

  /// Whether what a subscriber holds is the delivering thread's alone, since upstream releases a subscriber that has
  /// cancelled, and nobody else keeps it.
  @inlinable
  final var isOwnedByDelivery: Bool {
    upstreamReleasesSubscriber.load(ordering: .relaxed) && !traits.contains(.isShared)
  }

  /// Takes the subscription. A second one, or one that comes after the end, is cancelled, as the rules ask.
  ///
  /// - Returns: Whether it was taken.
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

  /// Ends the link because upstream has completed. A completion before the subscription counts for nothing, unless the
  /// caller says otherwise.
  ///
  /// - Returns: Whether the link ended now, so that the completion is to be passed on.
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

  /// The link has ended because upstream has completed: for a subclass that holds more than the upstream.
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
  /// - Returns: What is to be cancelled.
  final func detach() -> EngineSubscription? {
    lock.lock()
    let upstream = end()
    lock.unlock()
    return upstream?.takeRetainedValue()
  }

  /// With the lock: ends, and returns what is to be released without the lock.
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

  /// A signal has come before the subscription: stops the program where the operator does not ignore it.
  private final func receivedEarly(_ signal: StaticString) {
    guard traits.contains(.trapsEarlySignals) else { return }
    fatalError("\(description) received \(signal) before it received a subscription")
  }

  /// Turns a value away that comes before the subscription or after the end.
  ///
  /// - Returns: No demand, for a `receive` to return.
  @usableFromInline
  @inline(never)
  final func refuse() -> Subscribers.Demand {
    if isWaiting { receivedEarly("a value") }
    return .none
  }

  /// Serves a request to the operator's subscriber, which is a subscription as well.
  @usableFromInline
  final func forward(_ demand: Subscribers.Demand) {
    if isWaiting, !traits.contains(.servesEarlyRequests) { receivedEarly("a request") } else { request(demand) }
  }

  /// Serves a cancellation of the operator's subscriber, which is a subscription as well.
  @usableFromInline
  final func forwardCancellation() {
    if isWaiting, traits.isDisjoint(with: [.servesEarlyRequests, .trapsEarlySignals]) { return }
    cancel()
  }

  /// How the upstream's subscription describes itself, while there is one.
  final var upstreamDescription: String? {
    lock.lock()
    let upstream = self.upstream
    lock.unlock()
    return upstream.map { $0.description }
  }

  /// What the link has upstream, to show it.
  final var status: SubscriptionStatus {
    lock.lock()
    let (phase, upstream) = (self.phase.load(ordering: .relaxed), self.upstream)
    lock.unlock()
    if phase == Phase.ended { return .terminal }
    return upstream.map { .subscribed($0.original) } ?? .awaitingSubscription
  }

  /// The part of a mirror that shows how far an operator is.
  var shownState: Mirror.Child { ("status", status) }

  @usableFromInline override var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}

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

/// How far a subscription is, where something shows itself.
enum SubscriptionStatus {
  case awaitingSubscription
  case subscribed(any Subscription)
  case terminal

  /// What is upstream.
  var subscription: (any Subscription)? {
    if case .subscribed(let subscription) = self { subscription } else { nil }
  }
}

/// What is the same for all links of an operator, and set once.
@frozen
@usableFromInline
struct LinkTraits: OptionSet {
  @usableFromInline let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// A request or a cancellation before the subscription is served as a later one is. It is ignored otherwise.
  @inlinable static var servesEarlyRequests: LinkTraits { LinkTraits(rawValue: 1) }
  /// A value, a completion or a request before the subscription is a programming error, as it is with Apple's. A
  /// cancellation is none: the subscription is cancelled when it comes.
  @inlinable static var trapsEarlySignals: LinkTraits { LinkTraits(rawValue: 2) }
  /// A request for no values does nothing, whatever upstream would do.
  @inlinable static var ignoresEmptyRequests: LinkTraits { LinkTraits(rawValue: 4) }
  /// Others than the upstream and a cancellable may keep the subscriber.
  @inlinable static var isShared: LinkTraits { LinkTraits(rawValue: 8) }
}
