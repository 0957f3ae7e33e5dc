extension Publishers {
  /// A publisher that delivers the values of the latest publisher that its upstream has delivered.
  @frozen
  public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
  where P == Upstream.Output, P.Failure == Upstream.Failure {
    /// The kind of values that the publisher delivers.
    public typealias Output = P.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = P.Failure

    /// The publisher of publishers.
    public let upstream: Upstream

    /// Makes a publisher that delivers the values of the latest publisher that another has delivered.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let subscription = SwitchSubscription<P, S>(subscriber)
      subscriber.receive(subscription: subscription)
      upstream.subscribe(subscription)
    }
  }
}

extension Publishers.SwitchToLatest: Sendable where Upstream: Sendable {}

extension Publisher where Output: Publisher, Output.Failure == Failure {
  /// Delivers the values of the latest publisher that this one has delivered, and cancels the one before it.
  ///
  /// If this publisher or the latest fails, the other is cancelled, and the failure is delivered after the buffered
  /// values that have been requested. The stream finishes when this publisher and the latest have finished. When a new
  /// publisher arrives, the buffered values of the one before are dropped.
  ///
  /// - Demand: Unlimited demand is requested from this publisher. The demand that has not been met is requested from
  ///   each new publisher.
  /// - Thread: A value is delivered on the thread that sends it. If another thread is delivering, the sender waits
  ///   until that delivery has ended. A value that is sent from inside the subscriber is delivered immediately, as a
  ///   nested call.
  /// - Cancellation: Cancels this publisher and the latest, and drops the buffered values.
  ///
  /// ```swift
  /// let searches = PassthroughSubject<[String], Never>()
  /// let cancellable = searches.map(\.publisher).switchToLatest().sink { print($0) }
  /// ```
  @inlinable
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Failure == Never, Output: Publisher {
  /// Delivers the values of the latest publisher, which may fail, that this publisher, which cannot fail, has
  /// delivered.
  @inlinable
  public func switchToLatest()
    -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>>
  {
    setFailureType(to: Output.Failure.self).switchToLatest()
  }
}

extension Publisher where Failure == Never, Output: Publisher, Output.Failure == Never {
  /// Delivers the values of the latest publisher that this publisher has delivered. Neither can fail.
  @inlinable
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
  /// Delivers the values of the latest publisher, which cannot fail, that this publisher, which may fail, has
  /// delivered.
  @inlinable
  public func switchToLatest()
    -> Publishers.SwitchToLatest<
      Publishers.SetFailureType<Output, Failure>,
      Publishers.Map<Self, Publishers.SetFailureType<Output, Failure>>
    >
  {
    map { $0.setFailureType(to: Failure.self) }.switchToLatest()
  }
}
