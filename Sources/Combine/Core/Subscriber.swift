/// A type that can receive values from a publisher.
///
/// A subscriber controls how many values it receives: it requests values from its subscription, and may request more by
/// what it returns for each value.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  /// The kind of values that the subscriber takes.
  associatedtype Input

  /// The kind of error that the subscriber can receive; `Never` if its publishers cannot fail.
  associatedtype Failure: Error

  /// Receives the subscription, through which values can be requested from now on.
  func receive(subscription: any Subscription)

  /// Receives a value.
  ///
  /// - Returns: How many values to request in addition to those requested before.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Receives the completion, after which there are no more values.
  func receive(completion: Subscribers.Completion<Failure>)

  /// How many operators the subscriber's type names, weighted: not for use outside this package.
  static var _specializationDepth: Int { get }
}

extension Subscriber {
  /// Zero, for a subscriber at the end of a chain.
  @inlinable
  public static var _specializationDepth: Int { 0 }
}

extension Subscriber where Input == Void {
  /// Receives `()`.
  ///
  /// - Returns: How many values to request in addition to those requested before.
  @inlinable
  public func receive() -> Subscribers.Demand {
    receive(())
  }
}
