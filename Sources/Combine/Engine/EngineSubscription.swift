import InterflowPrimitives

/// The base class of every subscription of this module. It is a class, so that a reference takes a single word and a
/// call copies nothing.
///
/// A subscription of another module may be a value of any size. Storing such a value costs several times as much as
/// calling it, so a link wraps it in an object of this class as well.
@usableFromInline
class EngineSubscription: CancellationTarget, Subscription, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible, ReleasingSubscription
{
  /// Whether this subscription, and every one upstream of it, releases the subscriber when the subscriber cancels. For
  /// ``DeliveryOwnership``, which reads it when the first value arrives: before that, a subscription that is sent early
  /// does not know what is upstream of it.
  @usableFromInline var releasesSubscriberOnCancel: Bool { true }

  /// The subscription that upstream sent, without the object that wraps a subscription of another module.
  var original: any Subscription { self }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    preconditionFailure("a subclass must override request(_:)")
  }

  @usableFromInline var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
  @usableFromInline var description: String { "Subscription" }
  @usableFromInline final var playgroundDescription: Any { description }
  @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  @usableFromInline final var _engineObject: AnyObject? { self }

  /// The subscription itself where it is one of this module's, and otherwise an object that wraps it. The caller
  /// releases the object.
  static func retained(_ subscription: any Subscription) -> Unmanaged<EngineSubscription> {
    // A cast of the subscription itself would copy it, and would cost ten times as much.
    guard let object = subscription._engineObject, let known = object as? EngineSubscription else {
      return .passRetained(ForeignSubscription(subscription))
    }
    return .passRetained(known)
  }
}

/// Wraps a subscription that is not one of this module's.
private final class ForeignSubscription: EngineSubscription {
  private let subscription: any Subscription

  init(_ subscription: any Subscription) {
    self.subscription = subscription
  }

  @usableFromInline override var releasesSubscriberOnCancel: Bool {
    (subscription as? any ReleasingSubscription)?.releasesSubscriberOnCancel ?? false
  }

  override var original: any Subscription { subscription }

  override func request(_ demand: Subscribers.Demand) {
    subscription.request(demand)
  }

  override func cancel() {
    subscription.cancel()
  }

  override var description: String { "\(subscription)" }
}
