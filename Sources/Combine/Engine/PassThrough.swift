/// The subscriber of an operator that needs neither state nor a lock.
///
/// It is a structure, which the upstream stores as its subscriber and can inline. The upstream's own subscription is
/// sent to the downstream subscriber unchanged, so requests and cancellations cost nothing here.
@usableFromInline
protocol PassThrough: OperatorSubscriber {
  associatedtype Downstream: Subscriber

  var downstream: Downstream { get }

  /// The operator's name in descriptions.
  var operatorName: String { get }
}

extension PassThrough {
  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.passThrough }

  @inlinable
  func receive(subscription: any Subscription) {
    downstream.receive(subscription: subscription)
  }

  @usableFromInline var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
  @usableFromInline var description: String { operatorName }
  @usableFromInline var playgroundDescription: Any { operatorName }
  @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension PassThrough where Failure == Downstream.Failure {
  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}
