/// A subscriber that sends what it receives into a subject, and its subscription too, so that the subject asks.
@usableFromInline
final class SubjectSubscriber<S: Subject>: Subscriber, CustomStringConvertible, CustomReflectable {
  @usableFromInline typealias Input = S.Output
  @usableFromInline typealias Failure = S.Failure

  @usableFromInline let subject: S
  @usableFromInline let link = UpstreamLink("Subject")

  @usableFromInline
  init(_ subject: S) {
    self.subject = subject
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if link.link(subscription) { subject.send(subscription: link) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if link.isLinked { subject.send(input) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if link.finish() { subject.send(completion: completion) }
  }

  @usableFromInline var description: String { "Subject" }

  @usableFromInline var customMirror: Mirror {
    Mirror(self, children: ["downstreamSubject": subject, "status": link.status, "subject": subject])
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
    let subscriber = SubjectSubscriber(subject)
    let link = subscriber.link
    subscribe(subscriber)
    return AnyCancellable(target: link)
  }
}
