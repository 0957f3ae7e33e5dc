/// The base class of every subscription of this module: an object, so that keeping one takes a single word, and calling
/// it copies nothing.
///
/// A subscription of another module may be a value of any size. Keeping one of those costs several times as much as
/// calling it, so a link keeps it in an object as well.
@usableFromInline
class EngineSubscription: CancellationTarget, Subscription, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  /// Whether a subscriber that has cancelled is released: by this, and by everything upstream of it.
  var releasesSubscriberOnCancel: Bool { true }

  /// ``releasesSubscriberOnCancel``, asked again when a value has come: a subscription that is sent early does not know
  /// at first what is upstream of it.
  var nowReleasesSubscriberOnCancel: Bool { releasesSubscriberOnCancel }

  /// The subscription as it came.
  var original: any Subscription { self }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    preconditionFailure("a subscription has to say how it serves a request")
  }

  @usableFromInline var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
  @usableFromInline var description: String { "Subscription" }
  @usableFromInline final var playgroundDescription: Any { description }
  @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  @usableFromInline final var _engineObject: AnyObject? { self }

  /// The object that stands for a subscription: itself, where it is one of this module's. The caller releases it.
  static func retained(_ subscription: any Subscription) -> Unmanaged<EngineSubscription> {
    // A cast of the subscription itself would copy it, and cost ten times as much.
    guard let object = subscription._engineObject, let known = object as? EngineSubscription else {
      return .passRetained(ForeignSubscription(subscription))
    }
    return .passRetained(known)
  }
}

/// A subscription that is not one of this module's.
private final class ForeignSubscription: EngineSubscription {
  private let subscription: any Subscription

  init(_ subscription: any Subscription) {
    self.subscription = subscription
  }

  override var releasesSubscriberOnCancel: Bool { false }
  override var original: any Subscription { subscription }

  override func request(_ demand: Subscribers.Demand) {
    subscription.request(demand)
  }

  override func cancel() {
    subscription.cancel()
  }

  override var description: String { "\(subscription)" }
}
