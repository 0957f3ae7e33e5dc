/// The link of operators for which a value, a completion or a request before the subscription is a programming error, as
/// it is with Apple's. A cancellation before it is none: the subscription is cancelled when it comes.
@usableFromInline
final class StrictLink: UpstreamLink {
  override var releasesSubscriberWithUpstream: Bool { true }

  @inline(never)
  override func cameTooEarly(_ signal: EarlySignal) {
    let what: String
    switch signal {
    case .value: what = "a value"
    case .completion: what = "a completion"
    case .request: what = "a request"
    case .cancellation:
      cancel()
      return
    }
    fatalError("\(name) received \(what) before it received a subscription")
  }
}
