/// The connection of a subscriber to a publisher, through which it requests values and cancels.
///
/// Both methods may be called from any thread and from inside the subscriber's own methods.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Requests values in addition to those requested before.
  ///
  /// A request for no values is a programming error; most publishers trap.
  func request(_ demand: Subscribers.Demand)

  /// The subscription, if it is an object of this package: not for use outside.
  var _engineObject: AnyObject? { get }
}

extension Subscription {
  /// `nil`, for a subscription of another module.
  public var _engineObject: AnyObject? { nil }
}

/// The namespace of the types that serve as subscriptions.
public enum Subscriptions {
  /// A subscription that ignores requests and cancellation: for publishers that complete at once.
  public static var empty: any Subscription { EmptySubscription.shared }
}

/// The subscription behind ``Subscriptions/empty``: an ``EngineSubscription`` that does nothing.
final class EmptySubscription: EngineSubscription, @unchecked Sendable {  // It has no state.
  static let shared = EmptySubscription()

  /// Any publisher may send it, and retain the subscriber.
  @usableFromInline override var releasesSubscriberOnCancel: Bool { false }

  override func request(_ demand: Subscribers.Demand) {}

  override func cancel() {}

  override var description: String { "Empty" }
}
