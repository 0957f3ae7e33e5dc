/// What connects a subscriber to a publisher: the way to ask for values, and the way to stop them.
///
/// Both methods may be called from any thread and from inside the subscriber's own methods.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Asks for values in addition to those asked for before.
  func request(_ demand: Subscribers.Demand)

  /// The subscription, where it is an object of this package's: not for use outside.
  var _engineObject: AnyObject? { get }
}

extension Subscription {
  /// Nothing, for a subscription of anybody else's.
  public var _engineObject: AnyObject? { nil }
}

/// The namespace of the types that serve as subscriptions.
public enum Subscriptions {
  /// A subscription that delivers nothing and has nothing to cancel: for publishers that complete at once.
  public static var empty: any Subscription { EmptySubscription.shared }
}

final class EmptySubscription: EngineSubscription, @unchecked Sendable {  // It has no state.
  static let shared = EmptySubscription()

  /// Anybody may hand it out and keep the subscriber.
  override var releasesSubscriberOnCancel: Bool { false }

  override func request(_ demand: Subscribers.Demand) {}

  override func cancel() {}

  override var description: String { "Empty" }
}
