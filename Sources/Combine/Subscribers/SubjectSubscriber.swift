import InterflowPrimitives

/// A subscriber that sends what it receives into a subject, and its subscription too, so that the subject asks.
///
/// The subject goes at the end, by the rules of a ``SinkLink``: where everything upstream lets go of a subscriber that has
/// cancelled, the cancellation leaves the subject to that, and a value costs no lock.
@usableFromInline
final class SubjectSubscriber<S: Subject>: Subscriber, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  @usableFromInline typealias Input = S.Output
  @usableFromInline typealias Failure = S.Failure

  @usableFromInline let link = SubjectSubscriberLink<S>("Subject")

  // A retained reference, `nil` once the subject has gone. While the link says that it is the upstream's, the upstream's
  // one signal at a time guards it, with the link's `isDelivering`. Otherwise the link's `lock` does.
  @usableFromInline @exclusivity(unchecked) var subject: Unmanaged<S>?

  /// - Parameter isShared: Whether others than the upstream and a cancellable may keep this.
  @usableFromInline
  init(_ subject: S, isShared: Bool) {
    self.subject = .passRetained(subject)
    link.isShared = isShared
    link.subscriber = self
  }

  deinit {
    subject?.release()
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if link.link(subscription) { current?.send(subscription: link) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked, link.isUpstreams, let subject else {
      receiveGuarded(input)
      return .none
    }
    let isOutermost = !link.isDelivering
    link.isDelivering = true
    subject._withUnsafeGuaranteedRef { $0.send(input) }
    if isOutermost {
      link.isDelivering = false
      if link.hasEnded { letGo() }
    }
    return .none
  }

  /// With a reference to the subject that a cancellation meanwhile cannot take away.
  @usableFromInline
  func receiveGuarded(_ input: Input) {
    if link.isLinked { current?.send(input) }
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard link.finish() else { return }
    current?.send(completion: completion)
    if !link.isUpstreams || !link.isDelivering { letGo() }
  }

  /// The subject, until the end.
  private var current: S? {
    link.lock.lock()
    let subject = subject?.takeUnretainedValue()
    link.lock.unlock()
    return subject
  }

  @usableFromInline
  func letGo() {
    link.lock.lock()
    let subject = self.subject
    self.subject = nil
    link.lock.unlock()
    subject?.release()
  }

  @usableFromInline var description: String { "Subject" }
  @usableFromInline var playgroundDescription: Any { description }

  @usableFromInline var customMirror: Mirror {
    let subject = link.hasEnded ? nil : current
    var subscription: (any Subscription)?
    if case .subscribed(let upstream) = link.status { subscription = upstream }
    return Mirror(
      self,
      children: [
        "downstreamSubject": subject as Any, "upstreamSubscription": subscription as Any, "subject": subject as Any,
      ])
  }
}

/// The link of a subject's subscriber, which the subject holds, and so does not hold the subscriber.
@usableFromInline
final class SubjectSubscriberLink<S: Subject>: UpstreamLink {
  /// Set once, before anybody else has this.
  weak var subscriber: SubjectSubscriber<S>?

  @usableFromInline
  override func cancel() {
    sever()
    if !isUpstreams { subscriber?.letGo() }
  }
}

extension Publisher {
  /// Sends everything that this publisher delivers into a subject.
  ///
  /// The subject asks for values without limit; a `PassthroughSubject` does so when one of its own subscribers has
  /// asked.
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
