extension Publishers {
  /// A publisher that replaces its upstream by another publisher when upstream has failed.
  @frozen
  public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher: that of the second.
    public typealias Failure = NewPublisher.Failure

    /// The publisher that may fail.
    public let upstream: Upstream
    /// The closure that makes a publisher from an error.
    public let handler: (Upstream.Failure) -> NewPublisher

    /// Makes a publisher that catches the failure of another.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let handler = self.handler
      upstream.subscribe(
        SuccessorStage<Upstream.Failure, NewPublisher, S>(subscriber, ReplaceableLink("Catch")) {
          if case .failure(let error) = $0 { handler(error) } else { nil }
        })
    }
  }

  /// A publisher that replaces its upstream by another publisher when upstream has failed, or fails with an error that
  /// the closure throws.
  @frozen
  public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher that may fail.
    public let upstream: Upstream
    /// The closure that makes a publisher from an error, or throws.
    public let handler: (Upstream.Failure) throws -> NewPublisher

    /// Makes a publisher that catches the failure of another.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) throws -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == any Error {
      let handler = self.handler
      upstream.subscribe(
        SuccessorStage<Upstream.Failure, NewPublisher, S>(subscriber, ReplaceableLink("TryCatch")) {
          if case .failure(let error) = $0 { try handler(error) } else { nil }
        })
    }
  }
}

extension Publisher {
  /// Delivers the values of a publisher that a closure makes from the error, when this publisher has failed.
  ///
  /// If this publisher finishes, the stream finishes. A failure of the second publisher ends the stream.
  ///
  /// - Demand: Is forwarded. Demand that this publisher has not met is requested from the second.
  /// - Cancellation: Cancels the current publisher. The closure is not called after a cancellation.
  ///
  /// ```swift
  /// struct Refused: Error {}
  /// let cancellable = Fail<Int, Refused>(error: Refused())
  ///   .catch { _ in [1, 2].publisher }
  ///   .sink { print($0) }  // 1, 2
  /// ```
  @inlinable
  public func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P)
    -> Publishers.Catch<Self, P>
  where Output == P.Output {
    Publishers.Catch(upstream: self, handler: handler)
  }

  /// Delivers the values of a publisher that a closure makes from the error, when this publisher has failed; fails if
  /// the closure throws.
  ///
  /// If this publisher finishes, the stream finishes. A failure of the second publisher ends the stream.
  ///
  /// - Demand: Is forwarded. Demand that this publisher has not met is requested from the second.
  /// - Cancellation: Cancels the current publisher. The closure is not called after a cancellation.
  @inlinable
  public func tryCatch<P: Publisher>(_ handler: @escaping (Failure) throws -> P)
    -> Publishers.TryCatch<Self, P>
  where Output == P.Output {
    Publishers.TryCatch(upstream: self, handler: handler)
  }
}
