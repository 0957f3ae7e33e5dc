/// The subscriber with which an operator subscribes to its upstream.
///
/// A `Subscriber` that does not declare a specialization depth has depth zero, as the end of a chain. An operator is
/// not the end of a chain, so this protocol requires the depth: code that forgets it does not compile, unless a base
/// class declares it.
@usableFromInline
protocol OperatorSubscriber: Subscriber, CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible
{
  /// The downstream's depth plus the operator's own; see ``SpecializationDepth``.
  static var specializationDepth: Int { get }
}

extension OperatorSubscriber {
  @inlinable static var _specializationDepth: Int { specializationDepth }
}

/// An operator's subscriber that is a subscription as well, as with Apple's. It has the identity of its link, and
/// forwards requests and cancellations to the link.
@usableFromInline
protocol LinkedSubscription: Subscription, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  associatedtype Downstream: Subscriber
  associatedtype Upstream: UpstreamLink

  var downstream: Downstream { get }
  var link: Upstream { get }
}

extension LinkedSubscription {
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    link.forward(demand)
  }

  @usableFromInline
  func cancel() {
    link.forwardCancellation()
  }

  @usableFromInline var combineIdentifier: CombineIdentifier { CombineIdentifier(link) }
  @usableFromInline var description: String { link.description }
  @usableFromInline var playgroundDescription: Any { link.description }
  @usableFromInline var customMirror: Mirror { Mirror(self, children: [("downstream", downstream), link.shownState]) }
}
