/// The link of an operator that forwards demand, which its subscriber gets as its subscription.
///
/// It refers to nothing downstream, so a subscriber that keeps it after the end keeps nothing else alive.
@usableFromInline
class UpstreamLink: Link {
  /// What the subscription is called where it describes itself: the operator's name.
  @usableFromInline final let name: OperatorName

  @usableFromInline
  init(_ name: OperatorName, _ traits: LinkTraits = []) {
    self.name = name
    super.init(traits)
  }

  /// Whether ``releasesSubscriberOnCancel`` says what upstream says, and nothing else.
  var releasesSubscriberWithUpstream: Bool { type(of: self) == UpstreamLink.self }

  final override var nowReleasesSubscriberOnCancel: Bool {
    if releasesSubscriberOnCancel { return true }
    guard releasesSubscriberWithUpstream else { return false }
    lock.lock()
    let upstream = self.upstream
    lock.unlock()
    return upstream?.nowReleasesSubscriberOnCancel ?? false
  }

  @usableFromInline override var description: String { name.description }
}
