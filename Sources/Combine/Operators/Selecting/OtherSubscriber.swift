/// The subscriber of the other publisher in `drop(untilOutputFrom:)` and `prefix(untilOutputFrom:)`. It requests one
/// value.
@usableFromInline
final class OtherSubscriber<Input, Failure: Error>: Subscriber, CustomStringConvertible,
  CustomPlaygroundDisplayConvertible
{
  private let link: UpstreamLink
  private let accepting: Link.Phase
  private let onValue: () -> Void
  private let onCompletion: (Subscribers.Completion<Failure>) -> Void

  /// - Parameters:
  ///   - acceptsEarlySignals: Whether a value or a completion before the subscription counts. Otherwise it is ignored.
  ///   - onCompletion: Called for a completion without a value.
  @usableFromInline
  init(
    _ link: UpstreamLink, acceptsEarlySignals: Bool, onValue: @escaping () -> Void,
    onCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
  ) {
    self.link = link
    accepting = acceptsEarlySignals ? .notEnded : .linked
    self.onValue = onValue
    self.onCompletion = onCompletion
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if link.link(subscription) { link.request(.max(1)) }
  }

  @usableFromInline
  func receive(_ input: Input) -> Subscribers.Demand {
    if accepting.contains(link.sever(from: accepting)) { onValue() }
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    if link.finish(from: accepting) { onCompletion(completion) }
  }

  @usableFromInline var description: String { link.description }
  @usableFromInline var playgroundDescription: Any { link.description }
}
