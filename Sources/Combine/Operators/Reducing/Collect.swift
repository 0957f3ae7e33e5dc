extension Publishers {
  /// A publisher of all values of another, in one array.
  @frozen
  public struct Collect<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = [Upstream.Output]
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream

    /// Makes a publisher that collects the values of another.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(CollectStage<Upstream.Output, S>(subscriber))
    }
  }
}

extension Publishers.Collect: Equatable where Upstream: Equatable {}
extension Publishers.Collect: Sendable where Upstream: Sendable {}

/// A ``ReduceStage`` that collects all values in an array.
@usableFromInline
final class CollectStage<Input, Downstream: Subscriber>: ReduceStage<Downstream.Failure, Downstream>, OperatorSubscriber
where Downstream.Input == [Input] {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline @exclusivity(unchecked) var values: [Input] = []

  @inlinable
  init(_ downstream: Downstream) {
    super.init(downstream, "Collect")
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if link.isLinked { values.append(input) }
    return .none
  }

  @usableFromInline override var result: [Input]? { values }
}

extension Publisher {
  /// Collects all values, and delivers them in one array when this publisher finishes.
  ///
  /// For a publisher without values, the array is empty. A failure passes through at once, and drops the collected
  /// values.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the array is buffered until it is requested.
  ///
  /// ```swift
  /// let cancellable = (1...3).publisher
  ///   .collect()
  ///   .sink { print($0) }  // [1, 2, 3]
  /// ```
  @inlinable
  public func collect() -> Publishers.Collect<Self> {
    Publishers.Collect(upstream: self)
  }
}
