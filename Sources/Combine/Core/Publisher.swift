/// A type that delivers a sequence of values over time to the subscribers that request them.
///
/// A publisher does nothing until it is subscribed to. A subscriber then receives one subscription, at most as many
/// values as it requests through that, and at most one completion. It receives one signal at a time:
///
/// ```swift
/// let cancellable = [1, 2, 3].publisher
///   .map { $0 * 10 }
///   .sink { print($0) }  // 10, 20, 30
/// ```
public protocol Publisher<Output, Failure> {
  /// The kind of values that the publisher delivers.
  associatedtype Output

  /// The kind of error that the publisher may fail with; `Never` if it cannot fail.
  associatedtype Failure: Error

  /// Attaches a subscriber. Implement this; call `subscribe(_:)` instead.
  ///
  /// An implementation MUST call `subscriber.receive(subscription:)` exactly once before any other signal, MUST NOT
  /// deliver more values than the subscriber requested, and MUST NOT send two signals at the same time.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

/// The namespace of the types that serve as publishers: each operator returns one of them.
public enum Publishers {}

extension Publisher {
  /// Attaches a subscriber to this publisher.
  ///
  /// - Parameter subscriber: Receives a subscription first, and then the values that it requests through that.
  @inlinable
  @inline(__always)
  public func subscribe<S: Subscriber>(_ subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    // The branch that shortens types comes first: the compiler specialises both branches before it knows which one is
    // taken, and counts the types that it has met.
    if S._specializationDepth >= SpecializationDepth.limit {
      receive(subscriber: ReceiverOf(subscriber) as ChainReceiver)
    } else {
      receive(subscriber: subscriber)
    }
  }
}
