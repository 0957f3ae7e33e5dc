extension Publishers {
  /// A publisher that serves all its subscribers from one subscription, as long as there are subscribers.
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
  /// Serves all subscribers from one subscription to this publisher, as long as there are subscribers.
  ///
  /// The first subscriber makes this subscribe to upstream. A later subscriber receives only what is delivered from
  /// then on; after the completion, only the completion. If upstream delivers while it is being subscribed to, and all
  /// subscribers cancel meanwhile, as `first()` does, it is not subscribed to again.
  ///
  /// - Demand: Unlimited demand is requested from upstream; values for which a subscriber has no demand are dropped.
  /// - Cancellation: When the last subscriber cancels, upstream is cancelled. The next subscriber makes this subscribe
  ///   again.
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
