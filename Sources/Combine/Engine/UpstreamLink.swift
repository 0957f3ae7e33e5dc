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

  @usableFromInline override var description: String { name.description }
}
