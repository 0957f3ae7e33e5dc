/// A publisher of one value, which it delivers with the first request, and then finishes.
///
/// - Cancellation: Releases the subscriber and the value.
///
/// ```swift
/// let cancellable = Just(1).sink { print($0) }  // 1
/// ```
@frozen
public struct Just<Output>: Publisher {
  /// The publisher has its value, so it cannot fail.
  public typealias Failure = Never

  /// The value.
  public let output: Output

  /// Makes a publisher of a value.
  @inlinable
  public init(_ output: Output) {
    self.output = output
  }

  /// Attaches a subscriber.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    // Built on `OnceSubscription`: a single value needs one atomic flag, and neither a lock nor a loop.
    subscriber.receive(subscription: OnceSubscription(output, subscriber, "Just"))
  }
}

extension Just {
  /// Whether a publisher's type is this type, or a structure whose only field is this type and that changes the
  /// failure.
  @inlinable
  static func isWrapped<P: Publisher>(by type: P.Type) -> Bool {
    type == Just.self || type == Publishers.SetFailureType<Just, P.Failure>.self
  }
}

extension Just: Equatable where Output: Equatable {}
extension Just: Sendable where Output: Sendable {}
