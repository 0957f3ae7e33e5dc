/// The link of an operator that forwards demand, which its subscriber gets as its subscription.
///
/// It refers to nothing downstream, so a subscriber that keeps it after the end keeps nothing else alive.
@usableFromInline
class UpstreamLink: Link {
  /// What the subscription is called where it describes itself: the operator's name.
  @usableFromInline final let name: OperatorName

  @usableFromInline
  init(_ name: OperatorName) {
    self.name = name
  }

  /// Whether ``letsGo`` says what upstream says, and nothing else.
  var letsGoWithUpstream: Bool { type(of: self) == UpstreamLink.self }

  final override var letsGoByNow: Bool {
    if letsGo { return true }
    guard letsGoWithUpstream else { return false }
    lock.lock()
    let upstream = self.upstream
    lock.unlock()
    return upstream?.letsGoByNow ?? false
  }

  @usableFromInline override var description: String { name.description }
}
