extension Publishers {
  /// A publisher of the one result that a closure makes of all values.
  @frozen
  public struct Reduce<Upstream: Publisher, Output>: Publisher {
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// What the closure gets with the first value, and the result where there is none.
    public let initial: Output
    /// The closure that makes a result from the result before and a value.
    public let nextPartialResult: (Output, Upstream.Output) -> Output

    /// Makes a publisher that reduces the values of another.
    @inlinable
    public init(upstream: Upstream, initial: Output, nextPartialResult: @escaping (Output, Upstream.Output) -> Output) {
      self.upstream = upstream
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      // There is a result from the beginning, so it is never `nil`.
      upstream.subscribe(
        FoldStage<Upstream.Output, Failure, S>(subscriber, "Reduce", initial: initial) {
          [nextPartialResult] in nextPartialResult($0!, $1)
        })
    }
  }

  /// A publisher of the one result that a closure, which may throw, makes of all values.
  @frozen
  public struct TryReduce<Upstream: Publisher, Output>: Publisher {
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// What the closure gets with the first value, and the result where there is none.
    public let initial: Output
    /// The closure that makes a result from the result before and a value.
    public let nextPartialResult: (Output, Upstream.Output) throws -> Output

    /// Makes a publisher that reduces the values of another.
    @inlinable
    public init(
      upstream: Upstream, initial: Output, nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
    ) {
      self.upstream = upstream
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      // There is a result from the beginning, so it is never `nil`.
      upstream.subscribe(
        FoldStage<Upstream.Output, Upstream.Failure, S>(subscriber, "TryReduce", initial: initial) {
          [nextPartialResult] in try nextPartialResult($0!, $1)
        })
    }
  }
}

extension Publisher {
  /// Makes one result of all values, and delivers it when this publisher finishes.
  ///
  /// A publisher without values gives `initialResult`; a failure passes through at once, without a result.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the result is kept until it is requested.
  ///
  /// ```swift
  /// let cancellable = (1...4).publisher
  ///   .reduce(0) { $0 + $1 }
  ///   .sink { print($0) }  // 10
  /// ```
  @inlinable
  public func reduce<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Publishers.Reduce<Self, T> {
    Publishers.Reduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
  }

  /// Makes one result of all values; an error thrown cancels upstream and ends the stream.
  ///
  /// ```swift
  /// struct Overflow: Error {}
  /// let cancellable = [100, 100].publisher
  ///   .tryReduce(UInt8(0)) { sum, next -> UInt8 in
  ///     let (sum, overflow) = sum.addingReportingOverflow(UInt8(next))
  ///     if overflow { throw Overflow() }
  ///     return sum
  ///   }
  ///   .sink { print($0) } receiveValue: { print($0) }  // 200, finished
  /// ```
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Publishers.TryReduce<Self, T> {
    Publishers.TryReduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
  }
}
