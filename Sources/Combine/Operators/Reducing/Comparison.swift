extension Publishers {
  /// A publisher of the greatest value of another by an order.
  @frozen
  public struct Comparison<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// Whether its first argument comes before its second.
    public let areInIncreasingOrder: (Upstream.Output, Upstream.Output) -> Bool

    /// Makes a publisher that compares the values of another.
    @inlinable
    public init(upstream: Upstream, areInIncreasingOrder: @escaping (Upstream.Output, Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        FoldStage<Output, Failure, S>(subscriber, "Comparison") { [areInIncreasingOrder] best, next in
          guard let best else { return next }
          return areInIncreasingOrder(best, next) ? next : best
        })
    }
  }

  /// A publisher of the greatest value of another by an order whose closure may throw.
  @frozen
  public struct TryComparison<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// Whether its first argument comes before its second.
    public let areInIncreasingOrder: (Upstream.Output, Upstream.Output) throws -> Bool

    /// Makes a publisher that compares the values of another.
    @inlinable
    public init(upstream: Upstream, areInIncreasingOrder: @escaping (Upstream.Output, Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribe(
        FoldStage<Output, Upstream.Failure, S>(subscriber, "TryComparison") {
          [areInIncreasingOrder] best, next in
          guard let best else { return next }
          return try areInIncreasingOrder(best, next) ? next : best
        })
    }
  }
}

extension Publisher {
  /// Delivers the greatest value, the first of several that are equal, when this publisher finishes.
  ///
  /// A publisher without values just finishes. A failure passes through at once, without a value.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the value, or the completion if there is no value, is
  ///   buffered until there is a request.
  ///
  /// ```swift
  /// let cancellable = [2, 3, 1].publisher
  ///   .max()
  ///   .sink { print($0) }  // 3
  /// ```
  @inlinable
  public func max() -> Publishers.Comparison<Self> where Output: Comparable {
    max(by: <)
  }

  /// Delivers the least value, the first of several that are equal, when this publisher finishes.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the value, or the completion if there is no value, is
  ///   buffered until there is a request.
  ///
  /// ```swift
  /// let cancellable = [2, 3, 1].publisher
  ///   .min()
  ///   .sink { print($0) }  // 1
  /// ```
  @inlinable
  public func min() -> Publishers.Comparison<Self> where Output: Comparable {
    min(by: <)
  }

  /// Delivers the greatest value by an order, the first of several that are equal, when this publisher finishes.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the value, or the completion if there is no value, is
  ///   buffered until there is a request.
  ///
  /// ```swift
  /// let cancellable = ["a", "ccc", "bb"].publisher
  ///   .max { $0.count < $1.count }
  ///   .sink { print($0) }  // ccc
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: Whether its first argument comes before its second.
  @inlinable
  public func max(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
    Publishers.Comparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
  }

  /// Delivers the least value by an order, the first of several that are equal, when this publisher finishes.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the value, or the completion if there is no value, is
  ///   buffered until there is a request.
  ///
  /// ```swift
  /// let cancellable = ["bb", "a", "ccc"].publisher
  ///   .min { $0.count < $1.count }
  ///   .sink { print($0) }  // a
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: Whether its first argument comes before its second.
  @inlinable
  public func min(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
    Publishers.Comparison(upstream: self) { areInIncreasingOrder($1, $0) }
  }

  /// Delivers the greatest value by an order; a thrown error cancels upstream and becomes the failure.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the value, or the completion if there is no value, is
  ///   buffered until there is a request.
  ///
  /// ```swift
  /// struct NotANumber: Error {}
  /// let cancellable = [1.5, .nan].publisher
  ///   .tryMax { first, second in
  ///     if first.isNaN || second.isNaN { throw NotANumber() }
  ///     return first < second
  ///   }
  ///   .sink { print($0) } receiveValue: { print($0) }  // failure(NotANumber())
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: Whether its first argument comes before its second.
  @inlinable
  public func tryMax(
    by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    Publishers.TryComparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
  }

  /// Delivers the least value by an order; a thrown error cancels upstream and becomes the failure.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the value, or the completion if there is no value, is
  ///   buffered until there is a request.
  ///
  /// ```swift
  /// struct NotANumber: Error {}
  /// let cancellable = [2.5, 1.5].publisher
  ///   .tryMin { first, second in
  ///     if first.isNaN || second.isNaN { throw NotANumber() }
  ///     return first < second
  ///   }
  ///   .sink { print($0) } receiveValue: { print($0) }  // 1.5, finished
  /// ```
  ///
  /// - Parameter areInIncreasingOrder: Whether its first argument comes before its second.
  @inlinable
  public func tryMin(
    by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    Publishers.TryComparison(upstream: self) { try areInIncreasingOrder($1, $0) }
  }
}
