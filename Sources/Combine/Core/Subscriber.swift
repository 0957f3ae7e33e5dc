/// A type that can receive values from a publisher.
///
/// A subscriber decides how fast it is served: it asks its subscription for values, and each value it takes may ask for
/// more.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  /// The kind of values that the subscriber takes.
  associatedtype Input

  /// The kind of error that it can be told of; `Never` where its publishers cannot fail.
  associatedtype Failure: Error

  /// Tells the subscriber that it is subscribed and may request values.
  func receive(subscription: any Subscription)

  /// Hands the subscriber a value.
  ///
  /// - Returns: How many more values it wants, in addition to what it asked for before.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Tells the subscriber that there will be no more values.
  func receive(completion: Subscribers.Completion<Failure>)

  /// How much of a chain the subscriber's type names: not for use outside this package.
  static var _specializationDepth: Int { get }
}

extension Subscriber {
  /// None, for a subscriber that ends a chain.
  @inlinable
  public static var _specializationDepth: Int { 0 }
}

extension Subscriber where Input == Void {
  /// Tells the subscriber that something happened, where there is no value to hand over.
  @inlinable
  public func receive() -> Subscribers.Demand {
    receive(())
  }
}
