/// The link of a publisher that serves a subscriber from a subject of its own, and allows a request for nothing.
class LenientLink: UpstreamLink {
  override func request(_ demand: Subscribers.Demand) {
    if demand != .none { super.request(demand) }
  }
}
