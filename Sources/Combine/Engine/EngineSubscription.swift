/// What every subscription of this module is: an object, so that who keeps one keeps a single word, and calling it copies
/// nothing.
///
/// A subscription of somebody else's may be a value of any size. Looking after one of those costs several times as much
/// as calling it, so a link keeps it in an object as well.
@usableFromInline
class EngineSubscription: CancellationTarget, Subscription, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  /// Whether a subscriber that has cancelled is let go of: by this, and by all that it stands on.
  var letsGo: Bool { true }

  /// The subscription as it was handed out.
  var original: any Subscription { self }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    preconditionFailure("a subscription has to say how it serves a request")
  }

  @usableFromInline var description: String { "Subscription" }
  @usableFromInline final var playgroundDescription: Any { description }
  @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  /// The object that stands for a subscription: itself, where it is one of this module's.
  static func of(_ subscription: any Subscription) -> EngineSubscription {
    open(subscription) ?? ForeignSubscription(subscription)
  }

  /// As a cast would, which copies the subscription first and costs three times as much.
  private static func open<S: Subscription>(_ subscription: S) -> EngineSubscription? {
    guard S.self is EngineSubscription.Type else { return nil }
    // A reference to an object of this class: the type has just said so.
    return withUnsafeBytes(of: subscription) { $0.load(as: EngineSubscription.self) }
  }
}

/// A subscription that is not one of this module's.
private final class ForeignSubscription: EngineSubscription {
  private let subscription: any Subscription

  init(_ subscription: any Subscription) {
    self.subscription = subscription
  }

  override var letsGo: Bool { false }
  override var original: any Subscription { subscription }

  override func request(_ demand: Subscribers.Demand) {
    subscription.request(demand)
  }

  override func cancel() {
    subscription.cancel()
  }

  override var description: String { "\(subscription)" }
}
