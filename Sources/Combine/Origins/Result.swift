extension Result {
  /// A publisher of the result's value, or of its error.
  ///
  /// A value is delivered with the first request. An error is delivered immediately, without demand.
  ///
  /// ```swift
  /// let cancellable = Result<Int, Never>.success(7).publisher.sink { print($0) }  // 7
  /// ```
  @inlinable
  public var publisher: Result<Success, Failure>.Publisher { Publisher(self) }

  /// A publisher of a result: delivers its value with the first request and finishes, or fails immediately.
  ///
  /// - Cancellation: Releases the subscriber and the value.
  @frozen
  public struct Publisher: Combine.Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Success

    /// The result.
    public let result: Result<Success, Failure>

    /// Makes a publisher of a result.
    @inlinable
    public init(_ result: Result<Success, Failure>) {
      self.result = result
    }

    /// Makes a publisher of a value.
    @inlinable
    public init(_ output: Output) {
      self.init(.success(output))
    }

    /// Makes a publisher that fails with an error.
    @inlinable
    public init(_ failure: Failure) {
      self.init(.failure(failure))
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Success, S.Failure == Failure {
      // Built on `OnceSubscription`, as `Just`; for an error, the shared empty subscription is enough.
      switch result {
      case .success(let output):
        subscriber.receive(subscription: OnceSubscription(output, subscriber, "Once"))
      case .failure(let error):
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .failure(error))
      }
    }
  }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}
extension Result.Publisher: Sendable where Success: Sendable {}
