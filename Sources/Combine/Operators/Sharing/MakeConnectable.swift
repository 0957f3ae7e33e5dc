extension Publishers {
  /// A publisher that delivers nothing until `connect()` is called.
  public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    @usableFromInline let inner: Multicast<Upstream, PassthroughSubject<Output, Failure>>

    /// Makes a publisher that has another wait for a connection.
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
    /// - Returns: What ends the connection; deallocating it does so too.
    public func connect() -> any Cancellable {
      inner.connect()
    }
  }
}

extension Publisher where Failure == Never {
  /// Has this publisher wait for `connect()`, so that several subscribers can be attached first.
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
