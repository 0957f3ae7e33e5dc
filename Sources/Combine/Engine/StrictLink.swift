/// The link of the filter family, which takes a signal before the subscription for a mistake that must not go unnoticed,
/// as Apple's do.
@usableFromInline
final class StrictLink: UpstreamLink {
  @inline(never)
  override func cameTooEarly(_ signal: EarlySignal) {
    let what =
      switch signal {
      case .value: "a value"
      case .completion: "a completion"
      case .request: "a request"
      case .cancellation: "a cancellation"
      }
    fatalError("\(name) received \(what) before it received a subscription")
  }
}
