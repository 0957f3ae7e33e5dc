/// What stands between a subscriber and its upstream where an operator needs neither state nor a lock.
///
/// It is a structure that travels with the subscription into the upstream's loop. The upstream's own subscription goes
/// to the subscriber as it is, so demand and cancellation cost nothing here.
@usableFromInline
protocol PassThrough: OperatorSubscriber {
  associatedtype Downstream: Subscriber

  var downstream: Downstream { get }

  /// What it is called where it describes itself.
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
