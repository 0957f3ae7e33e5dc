import InterflowPrimitives

/// A subscriber that sends what it receives into a subject: also its subscription, from which the subject requests
/// values.
///
/// The subject is released at the end. If only the upstream retains this, and everything upstream releases a subscriber
/// that has cancelled, the subject is released with this, and a value costs no lock.
@usableFromInline
final class SubjectSubscriber<S: Subject>: Subscriber, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  @usableFromInline typealias Input = S.Output
  @usableFromInline typealias Failure = S.Failure

  @usableFromInline let link: SubjectSubscriberLink<S>

  // A retained reference while `isRetained`, which the link's `lock` guards. If `isOwnedByDelivery`, which is set once,
  // before the first value, it is retained until this is deallocated.
  @usableFromInline let subject: Unmanaged<S>
  @usableFromInline @exclusivity(unchecked) var isOwnedByDelivery = false
  @exclusivity(unchecked) private var isRetained = true

  /// - Parameter isShared: Whether others than the upstream and a cancellable may retain this.
  @usableFromInline
  init(_ subject: S, isShared: Bool) {
    self.subject = .passRetained(subject)
    link = SubjectSubscriberLink("Subject", isShared ? .isShared : [])
    link.subscriber = self
  }

  deinit {
    if isRetained { subject.release() }
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

  /// Delivers a value with an additional reference to the subject, since a cancellation may release it meanwhile.
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
    let subject = isRetained ? subject.takeUnretainedValue() : nil
    link.lock.unlock()
    return subject
  }

  @usableFromInline
  func releaseSubject() {
    link.lock.lock()
    let wasRetained = isRetained
    isRetained = false
    link.lock.unlock()
    if wasRetained { subject.release() }
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
    if !isOwnedByDelivery { subscriber?.releaseSubject() }
  }
}

extension Publisher {
  /// Sends this publisher's values and its completion into a subject.
  ///
  /// - Demand: The subject requests unlimited demand; a `PassthroughSubject` does so when one of its subscribers makes
  ///   its first request.
  /// - Returns: A cancellable that cancels the subscription, also when it is deallocated.
  @inlinable
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable
  where S.Output == Output, S.Failure == Failure {
    let subscriber = SubjectSubscriber(subject, isShared: false)
    let link = subscriber.link
    subscribe(subscriber)
    return AnyCancellable(target: link)
  }
}
