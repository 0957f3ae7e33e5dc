/// The base class of every operator with state that forwards values one by one. It holds the downstream subscriber and
/// the link to upstream.
///
/// A subclass is final, conforms to ``OperatorSubscriber``, and adds `receive(_:)` and its state. Upstream delivers one
/// signal at a time, so the state needs no lock. But upstream may deliver again during a call of the downstream, so a
/// subclass MUST update its state before it calls downstream or a closure.
///
/// The downstream receives the link as its subscription, and the link does not refer to the stage. So only upstream
/// retains a stage, and upstream releases it on cancellation.
@usableFromInline
class Stage<Failure: Error, Downstream: Subscriber>: LinkedSubscription {
  @usableFromInline final let downstream: Downstream
  @usableFromInline final let link: UpstreamLink

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }
  // For a subclass that conforms to `Subscriber` only, which would have depth zero otherwise.
  @inlinable static var _specializationDepth: Int { specializationDepth }

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

  /// Ends the stream early: cancels upstream and then sends the completion.
  @usableFromInline
  final func finish() {
    if link.sever() == .linked { downstream.receive(completion: .finished) }
  }

  /// Ends the stream with an error that a closure has thrown: cancels upstream and then sends the failure. Works before
  /// the subscription too, for operators that accept values that early.
  ///
  /// - Returns: No demand, for a `receive` to return.
  @usableFromInline
  final func fail(_ error: any Error) -> Subscribers.Demand {
    if link.sever() != .ended { downstream.receive(completion: .failure(error.converted())) }
    return .none
  }
}

extension Subscribers.Completion {
  /// Converts the failure to the downstream's type: the same type, or `any Error` if the operator can fail itself.
  ///
  /// So one stage implements an operator and its `try` form. The cast costs nothing in specialised code, and happens
  /// once in a subscription's life otherwise.
  @inlinable
  func converted<NewFailure: Error>() -> Subscribers.Completion<NewFailure> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(error.converted())
    }
  }
}

extension Error {
  /// Converts the error to the downstream's failure; see ``Subscribers/Completion/converted()``.
  @inlinable
  func converted<Failure: Error>() -> Failure {
    guard let failure = self as? Failure else {
      preconditionFailure("an operator that cannot fail received \(self)")
    }
    return failure
  }
}
