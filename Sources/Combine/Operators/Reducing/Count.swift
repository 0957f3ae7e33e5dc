extension Publishers {
  /// A publisher of the number of values of another.
  @frozen
  public struct Count<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Int
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream

    /// Makes a publisher that counts the values of another.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        FoldStage<Upstream.Output, Failure, S>(subscriber, "Count", initial: 0) { count, _ in count! + 1 })
    }
  }
}

extension Publishers.Count: Equatable where Upstream: Equatable {}
extension Publishers.Count: Sendable where Upstream: Sendable {}

extension Publisher {
  /// Counts the values, and delivers their number when this publisher finishes.
  ///
  /// A failure passes through at once, without the number.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the number is buffered until it is requested.
  ///
  /// ```swift
  /// let cancellable = ["a", "b"].publisher
  ///   .count()
  ///   .sink { print($0) }  // 2
  /// ```
  @inlinable
  public func count() -> Publishers.Count<Self> {
    Publishers.Count(upstream: self)
  }
}
