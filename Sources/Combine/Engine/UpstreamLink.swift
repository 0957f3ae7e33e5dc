/// The link of an operator that forwards demand. The downstream subscriber receives it as its subscription.
///
/// It refers to nothing downstream, so a subscriber that holds it after the end keeps nothing else alive.
@usableFromInline
class UpstreamLink: Link {
  /// The operator's name, which is the description of the subscription.
  @usableFromInline final let name: OperatorName

  @usableFromInline
  init(_ name: OperatorName, _ traits: LinkTraits = []) {
    self.name = name
    super.init(traits)
  }

  /// Whether nothing will be delivered any more.
  var hasDeliveredAll: Bool { hasEnded }

  @usableFromInline override var description: String { name.description }
}
