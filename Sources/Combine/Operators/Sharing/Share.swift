extension Publishers {
  /// A publisher that serves all its subscribers from one subscription, for as long as there are any.
  public final class Share<Upstream: Publisher>: Publisher, Equatable {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    @usableFromInline typealias Shared = Autoconnect<
      Multicast<Upstream, PassthroughSubject<Output, Failure>>
    >

    /// The publisher that is shared.
    public let upstream: Upstream
    @usableFromInline let shared: Shared

    /// Makes a publisher that shares another.
    public init(upstream: Upstream) {
      self.upstream = upstream
      shared = Autoconnect(upstream: Multicast(upstream: upstream) { PassthroughSubject() })
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      shared.receive(subscriber: subscriber)
    }

    /// Whether both are the same object.
    public static func == (lhs: Share, rhs: Share) -> Bool { lhs === rhs }
  }
}

extension Publisher {
  /// Serves all subscribers from one subscription to this publisher, for as long as there are any.
  ///
  /// The first subscriber subscribes upstream, the last to cancel cancels there, and one that comes after that
  /// subscribes anew. One that comes late gets what is sent from then on, and after the completion only that. A publisher
  /// that delivers while it is being subscribed to is not subscribed to again because its subscribers have cancelled
  /// meanwhile, as `first()` does.
  ///
  /// - Demand: Unlimited demand is requested from upstream; a subscriber misses what it has not requested in time.
  ///
  /// ```swift
  /// let shared = [1, 2].publisher.print("upstream").share()
  /// let cancellable = shared.sink { print($0) }
  /// ```
  @inlinable
  public func share() -> Publishers.Share<Self> {
    Publishers.Share(upstream: self)
  }
}
