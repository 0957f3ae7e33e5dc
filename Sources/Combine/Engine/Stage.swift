/// The base class of every operator with state that passes values on one by one: its subscriber, and its link upstream.
///
/// A subclass is final, declares itself a `Subscriber`, and adds `receive(_:)` and its state. Upstream delivers one
/// signal at a time, so that state needs no lock; but it may deliver again from inside a call downstream, so a subclass
/// MUST have its state in order before it calls downstream or a closure.
///
/// The subscriber gets the link as its subscription, which does not refer back to this. After cancellation nothing but
/// the upstream can hold a stage, and the upstream has released it.
@usableFromInline
class Stage<Failure: Error, Downstream: Subscriber>: LinkedSubscription {
  @usableFromInline final let downstream: Downstream
  @usableFromInline final let link: UpstreamLink

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }

  /// - Parameter link: Carries the operator's name.
  @inlinable
  init(_ downstream: Downstream, _ link: UpstreamLink) {
    self.downstream = downstream
    self.link = link
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if link.link(subscription) { downstream.receive(subscription: link) }
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if link.finish() { downstream.receive(completion: completion.converted()) }
  }

  /// Ends the stream early: cancels upstream, and then sends the completion.
  @usableFromInline
  final func finish() {
    if link.sever() { downstream.receive(completion: .finished) }
  }

  /// Ends the stream with an error that a closure has thrown: cancels upstream, and then sends the failure. Also before
  /// the subscription, where an operator takes values that early.
  ///
  /// - Returns: No demand, for a `receive` to return.
  @usableFromInline
  final func fail(_ error: any Error) -> Subscribers.Demand {
    if link.terminate() { downstream.receive(completion: .failure(error.converted())) }
    return .none
  }
}

extension Subscribers.Completion {
  /// The completion for a downstream whose failure is this one's, or any error, where the operator can fail itself.
  ///
  /// One stage serves an operator and its `try` form; the cast costs nothing where both types are known, and happens
  /// once in a stream's life where they are not.
  @inlinable
  func converted<NewFailure: Error>() -> Subscribers.Completion<NewFailure> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(error.converted())
    }
  }
}

extension Error {
  /// The error as the downstream's failure; see ``Subscribers/Completion/converted()``.
  @inlinable
  func converted<Failure: Error>() -> Failure {
    guard let failure = self as? Failure else {
      preconditionFailure("an operator that cannot fail was given \(self)")
    }
    return failure
  }
}
