extension Publishers {
  /// A publisher that delivers nothing until `connect()` is called.
  public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    @usableFromInline let inner: Multicast<Upstream, PassthroughSubject<Output, Failure>>

    /// Makes a publisher that subscribes to another only when it is connected.
    public init(upstream: Upstream) {
      inner = Multicast(upstream: upstream) { PassthroughSubject() }
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      inner.subscribe(subscriber)
    }

    /// Starts delivering to the subscribers.
    ///
    /// - Returns: A cancellable that ends the connection, also when it is deallocated.
    public func connect() -> any Cancellable {
      inner.connect()
    }
  }
}

extension Publisher where Failure == Never {
  /// Delivers nothing until `connect()` is called, so that several subscribers can be attached first.
  ///
  /// - Demand: Unlimited demand is requested from this publisher; values for which a subscriber has no demand are
  ///   dropped.
  /// - Cancellation: Cancelling the connection cancels the subscription to this publisher.
  ///
  /// ```swift
  /// let numbers = [1, 2].publisher.makeConnectable()
  /// let cancellable = numbers.sink { print($0) }
  /// let connection = numbers.connect()  // 1, 2
  /// ```
  @inlinable
  public func makeConnectable() -> Publishers.MakeConnectable<Self> {
    Publishers.MakeConnectable(upstream: self)
  }
}
