import InterflowPrimitives

/// A subscriber that sends what it receives into a subject, and its subscription too, so that the subject requests its
/// values.
///
/// The subject is released at the end. Where this is the upstream's alone, and everything upstream releases a
/// subscriber whose stream has ended, that does it, and a value costs no lock.
@usableFromInline
final class SubjectSubscriber<S: Subject>: Subscriber, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  @usableFromInline typealias Input = S.Output
  @usableFromInline typealias Failure = S.Failure

  @usableFromInline let link: SubjectSubscriberLink<S>

  // A retained reference, as long as `isHeld`, which the link's `lock` guards. Where `isOwnedByDelivery`, which is set once,
  // before the first value, it is held until this goes.
  @usableFromInline let subject: Unmanaged<S>
  @usableFromInline @exclusivity(unchecked) var isOwnedByDelivery = false
  @exclusivity(unchecked) private var isHeld = true

  /// - Parameter isShared: Whether others than the upstream and a cancellable may keep this.
  @usableFromInline
  init(_ subject: S, isShared: Bool) {
    self.subject = .passRetained(subject)
    link = SubjectSubscriberLink("Subject", isShared ? .isShared : [])
    link.subscriber = self
  }

  deinit {
    if isHeld { subject.release() }
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    guard link.link(subscription) else { return }
    isOwnedByDelivery = link.isOwnedByDelivery
    current?.send(subscription: link)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if link.isLinked {
      if isOwnedByDelivery { subject._withUnsafeGuaranteedRef { $0.send(input) } } else { receiveGuarded(input) }
    }
    return .none
  }

  /// With a reference to the subject that a cancellation meanwhile cannot take away.
  @usableFromInline
  @inline(never)
  func receiveGuarded(_ input: Input) {
    current?.send(input)
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard link.finish() else { return }
    current?.send(completion: completion)
    if !link.isOwnedByDelivery { releaseSubject() }
  }

  /// The subject, until the end.
  private var current: S? {
    link.lock.lock()
    let subject = isHeld ? subject.takeUnretainedValue() : nil
    link.lock.unlock()
    return subject
  }

  @usableFromInline
  func releaseSubject() {
    link.lock.lock()
    let wasHeld = isHeld
    isHeld = false
    link.lock.unlock()
    if wasHeld { subject.release() }
  }

  @usableFromInline var description: String { "Subject" }
  @usableFromInline var playgroundDescription: Any { description }

  @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// The link of a subject's subscriber, which the subject holds, and so does not hold the subscriber.
@usableFromInline
final class SubjectSubscriberLink<S: Subject>: UpstreamLink {
  /// Set once, before anybody else has this.
  weak var subscriber: SubjectSubscriber<S>?

  @usableFromInline
  override func cancel() {
    sever()
    if !isOwnedByDelivery { subscriber?.releaseSubject() }
  }
}

extension Publisher {
  /// Sends everything that this publisher delivers into a subject.
  ///
  /// The subject requests unlimited demand; a `PassthroughSubject` does so when one of its own subscribers has
  /// requested something.
  ///
  /// - Returns: What ends the subscription; deallocating it does so too.
  @inlinable
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable
  where S.Output == Output, S.Failure == Failure {
    let subscriber = SubjectSubscriber(subject, isShared: false)
    let link = subscriber.link
    subscribe(subscriber)
    return AnyCancellable(target: link)
  }
}
