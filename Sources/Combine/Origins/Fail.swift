/// A publisher that fails immediately.
///
/// - Demand: The failure needs no demand.
///
/// ```swift
/// struct Refused: Error {}
/// let cancellable = Fail<Int, Refused>(error: Refused())
///   .sink { print($0) } receiveValue: { print($0) }  // failure(Refused())
/// ```
@frozen
public struct Fail<Output, Failure: Error>: Publisher {
  /// The error.
  public let error: Failure

  /// Makes a publisher that fails with an error.
  @inlinable
  public init(error: Failure) {
    self.error = error
  }

  /// Makes a publisher that fails with an error, with its kind of values named.
  @inlinable
  public init(outputType: Output.Type, failure: Failure) {
    self.init(error: failure)
  }

  /// Attaches a subscriber.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    // Uses the shared empty subscription: there is no value to request, and nothing to cancel.
    subscriber.receive(subscription: Subscriptions.empty)
    subscriber.receive(completion: .failure(error))
  }
}

extension Fail: Equatable where Failure: Equatable {}
extension Fail: Sendable {}
