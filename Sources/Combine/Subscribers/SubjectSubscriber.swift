import InterflowPrimitives

/// A subscriber that sends what it receives into a subject: also its subscription, from which the subject requests
/// values.
///
/// It does not keep the subject alive, which may own the connection, unless it is the subject's only owner. Of a
/// subject of this module it retains the core, through which it sends: that costs less than a weak reference, and the
/// subject cancels this when it is deallocated.
///
/// All references are released at the end. If ``DeliveryOwnership`` says that the core belongs to the delivering
/// thread, it is released with this.
@usableFromInline
final class SubjectSubscriber<S: Subject>: Subscriber, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  @usableFromInline typealias Input = S.Output
  @usableFromInline typealias Failure = S.Failure
  @usableFromInline typealias Core = SubjectCore<Input, Failure>

  @usableFromInline let link: SubjectSubscriberLink<S>

  @usableFromInline let ownership: DeliveryOwnership
  // Nil for a subject that is not of this module. A retained reference while `isRetained`, which the link's `lock`
  // guards. If it belongs to the delivering thread, it is retained until this is deallocated.
  @usableFromInline let core: Unmanaged<Core>?
  @exclusivity(unchecked) private var isRetained = true
  // Guarded by the link's `lock`: both.
  private var owned: S?
  private weak var foreign: S?

  /// - Parameter isOwner: Whether this keeps the subject alive, and others than the upstream and a cancellable may
  ///   retain this.
  @usableFromInline
  init(_ subject: S, isOwner: Bool) {
    let core =
      (subject as? PassthroughSubject<Input, Failure>)?.core ?? (subject as? CurrentValueSubject<Input, Failure>)?.core
    self.core = core.map { .passRetained($0) }
    ownership = DeliveryOwnership(isShared: isOwner)
    link = SubjectSubscriberLink("Subject")
    if isOwner { owned = subject }
    if core == nil { foreign = subject }
    link.subscriber = self
  }

  deinit {
    if isRetained { core?.release() }
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    guard link.link(subscription) else { return }
    let (core, subject) = target
    if let core { core.addUpstream(link) } else { subject?.send(subscription: link) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if link.isLinked {
      if ownership.belongsToDelivery, let core {
        core._withUnsafeGuaranteedRef { $0.send(input) }
      } else {
        receiveGuarded(input)
      }
    }
    return .none
  }

  /// Delivers a value with additional references, since a cancellation may release them meanwhile.
  @usableFromInline
  @inline(never)
  func receiveGuarded(_ input: Input) {
    ownership.decide(link)
    let (core, subject) = target
    if let core { core.send(input) } else { subject?.send(input) }
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard link.finish() else { return }
    let (core, subject) = target
    if let core { core.finish(completion) } else { subject?.send(completion: completion) }
    if !ownership.belongsToDelivery { releaseTarget() }
  }

  /// The core, or the subject that is not of this module, until the end.
  private var target: (Core?, S?) {
    link.lock.lock()
    defer { link.lock.unlock() }
    return (isRetained ? core?.takeUnretainedValue() : nil, foreign)
  }

  @usableFromInline
  func releaseTarget() {
    link.lock.lock()
    let wasRetained = isRetained
    let owned = owned.take()
    isRetained = false
    foreign = nil
    link.lock.unlock()
    withExtendedLifetime(owned) { if wasRetained { core?.release() } }
  }

  @usableFromInline var description: String { "Subject" }
  @usableFromInline var playgroundDescription: Any { description }

  @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// The ``UpstreamLink`` of a subject's subscriber. The subject retains it, so it does not retain the subscriber.
@usableFromInline
final class SubjectSubscriberLink<S: Subject>: UpstreamLink {
  /// Set once, before this is shared.
  weak var subscriber: SubjectSubscriber<S>?

  @usableFromInline
  override func cancel() {
    sever()
    if let subscriber, !subscriber.ownership.belongsToDelivery { subscriber.releaseTarget() }
  }
}

extension Publisher {
  /// Sends this publisher's values and its completion into a subject.
  ///
  /// The connection does not keep the subject alive.
  ///
  /// - Demand: The subject requests unlimited demand; a `PassthroughSubject` does so when one of its subscribers makes
  ///   its first request.
  /// - Returns: A cancellable that cancels the subscription, also when it is deallocated.
  @inlinable
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable
  where S.Output == Output, S.Failure == Failure {
    let subscriber = SubjectSubscriber(subject, isOwner: false)
    let link = subscriber.link
    subscribe(subscriber)
    return AnyCancellable(target: link)
  }
}
