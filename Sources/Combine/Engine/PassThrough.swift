/// What stands between a subscriber and its upstream where an operator needs neither state nor a lock.
///
/// It is a structure that travels with the subscription into the upstream's loop. The upstream's own subscription goes
/// to the subscriber as it is, so demand and cancellation cost nothing here.
@usableFromInline
protocol PassThrough: Subscriber, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  associatedtype Downstream: Subscriber

  var downstream: Downstream { get }

  /// What it is called where it describes itself.
  var operatorName: String { get }
}

extension PassThrough {
  @inlinable static var _chainWeight: Int { Downstream._chainWeight + ChainWeight.passThrough }

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

/// A pass-through whose only state is whether it is subscribed: it ignores what an upstream that breaks the rules sends
/// after its end, leaves it to the link what comes before the subscription, and describes the subscription by its own
/// name.
///
/// The state is in the link, which the subscriber is handed; this is still a structure that travels into the upstream's
/// loop. A stage would hold the same and cost each live subscription an object more. It is a subscription as a ``Stage``
/// is one.
@usableFromInline
protocol LinkedPassThrough: PassThrough, Subscription where Failure == Downstream.Failure {
  /// Carries the operator's name.
  var link: UpstreamLink { get }
}

extension LinkedPassThrough {
  @inlinable
  func receive(subscription: any Subscription) {
    if link.link(subscription) { downstream.receive(subscription: link) }
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if link.finish() { downstream.receive(completion: completion) }
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    link.forward(demand)
  }

  @usableFromInline
  func cancel() {
    link.forwardCancellation()
  }

  @usableFromInline var combineIdentifier: CombineIdentifier { CombineIdentifier(link) }
  @usableFromInline var operatorName: String { link.description }
  @usableFromInline var customMirror: Mirror {
    Mirror(self, children: ["downstream": downstream, "status": link.status])
  }
}
