extension Publishers {
  /// A publisher of the values of the latest of the publishers that another delivers.
  @frozen
  public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
  where P == Upstream.Output, P.Failure == Upstream.Failure {
    /// The kind of values that the publisher delivers.
    public typealias Output = P.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = P.Failure

    /// The publisher of publishers.
    public let upstream: Upstream

    /// Makes a publisher that follows the latest of the publishers that another delivers.
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
  /// - Demand: This publisher is asked without limit. What the subscriber has asked for and not been given is asked of
  ///   each new publisher.
  ///
  /// A failure of this publisher or of the latest ends the stream; what the subscriber has asked for goes out before it.
  /// The stream finishes when this publisher and the latest have. Of a publisher that another has replaced nothing is
  /// delivered, not even what waits.
  ///
  /// - Thread: What is sent from inside the subscriber, on the thread that delivers, is delivered at once, inside the
  ///   delivery. What another thread sends meanwhile waits for its turn, and is delivered on that thread.
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
  /// Follows the latest of publishers that may fail, delivered by one that cannot.
  @inlinable
  public func switchToLatest()
    -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>>
  {
    setFailureType(to: Output.Failure.self).switchToLatest()
  }
}

extension Publisher where Failure == Never, Output: Publisher, Output.Failure == Never {
  /// Follows the latest of publishers that cannot fail, delivered by one that cannot either.
  @inlinable
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
  /// Follows the latest of publishers that cannot fail, delivered by one that may.
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
