extension Publishers {
  /// A publisher that passes on only the values that a closure, which may throw, accepts.
  @frozen
  public struct TryFilter<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The closure that accepts a value.
    public let isIncluded: (Upstream.Output) throws -> Bool

    /// Makes a publisher that filters the values of another.
    @inlinable
    public init(upstream: Upstream, isIncluded: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribe(
        TryCompactMapStage<Output, Upstream.Failure, S>(subscriber, UpstreamLink("TryFilter", .trapsEarlySignals)) {
          [isIncluded] in try isIncluded($0) ? $0 : nil
        })
    }
  }
}

extension Publisher {
  /// Passes on only the values that a closure accepts; a thrown error cancels upstream and becomes the failure.
  ///
  /// A value, a completion or a request before the subscription is a programming error and traps, as with Apple's.
  ///
  /// - Demand: Passes through; a value that is dropped requests another in its place.
  ///
  /// ```swift
  /// struct Negative: Error {}
  /// let cancellable = [1, 2, -1].publisher
  ///   .tryFilter { number in
  ///     if number < 0 { throw Negative() }
  ///     return number > 1
  ///   }
  ///   .sink { print($0) } receiveValue: { print($0) }  // 2, failure(Negative())
  /// ```
  @inlinable
  public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Self> {
    Publishers.TryFilter(upstream: self, isIncluded: isIncluded)
  }
}

extension Publishers.Filter {
  /// Filters the values once more, combined with the filter before into one operator.
  @inlinable
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Upstream> {
    let first = self.isIncluded
    return Publishers.Filter(upstream: upstream) { first($0) && isIncluded($0) }
  }

  /// Filters the values once more with a closure that may throw, combined with the filter before into one operator.
  @inlinable
  public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Upstream> {
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }
}

extension Publishers.TryFilter {
  /// Filters the values once more, combined with the filter before into one operator.
  @inlinable
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.TryFilter<Upstream> {
    tryFilter(isIncluded)
  }

  /// Filters the values once more with a closure that may throw, combined with the filter before into one operator.
  @inlinable
  public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Upstream> {
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }
}
