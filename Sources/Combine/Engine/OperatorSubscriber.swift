/// The subscriber that an operator subscribes to its upstream with.
///
/// A `Subscriber` that says nothing of its specialization depth ends a chain as far as the compiler is concerned. An
/// operator does not, so here the depth has no default but that of a base class, and forgetting it does not compile.
@usableFromInline
protocol OperatorSubscriber: Subscriber, CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible
{
  /// How much of a chain the subscriber's type names: downstream's depth and the operator's; see ``SpecializationDepth``.
  static var specializationDepth: Int { get }
}

extension OperatorSubscriber {
  @inlinable static var _specializationDepth: Int { specializationDepth }
}

/// An operator's subscriber that is a subscription as well, as it is with Apple's: it has the identity of its link, and
/// does what that does.
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
