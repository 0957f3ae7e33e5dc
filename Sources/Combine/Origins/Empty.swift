/// A publisher that delivers no values, and finishes immediately or never.
///
/// - Demand: The completion needs no demand.
///
/// ```swift
/// let cancellable = Empty<Int, Never>()
///   .sink { print($0) } receiveValue: { print($0) }  // finished
/// ```
@frozen
public struct Empty<Output, Failure: Error>: Publisher, Equatable, Sendable {
  /// Whether the publisher finishes immediately.
  public let completeImmediately: Bool

  /// Makes a publisher without values.
  @inlinable
  public init(completeImmediately: Bool = true) {
    self.completeImmediately = completeImmediately
  }

  /// Makes a publisher without values, with its types named.
  @inlinable
  public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
    self.init(completeImmediately: completeImmediately)
  }

  /// Attaches a subscriber.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    // Uses the shared empty subscription: there is no value to request, and nothing to cancel.
    subscriber.receive(subscription: Subscriptions.empty)
    if completeImmediately { subscriber.receive(completion: .finished) }
  }
}
