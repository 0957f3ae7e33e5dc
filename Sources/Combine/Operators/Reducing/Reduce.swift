extension Publishers {
  /// A publisher of the result that a closure accumulates from all values of another.
  @frozen
  public struct Reduce<Upstream: Publisher, Output>: Publisher {
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The result that the closure receives with the first value, and the result if there are no values.
    public let initial: Output
    /// The closure that makes a result from the previous result and a value.
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
      // There is an initial result, so it is never `nil`.
      upstream.subscribe(
        FoldStage<Upstream.Output, Failure, S>(subscriber, "Reduce", initial: initial) {
          [nextPartialResult] in nextPartialResult($0!, $1)
        })
    }
  }

  /// A publisher of the result that a closure, which may throw, accumulates from all values of another.
  @frozen
  public struct TryReduce<Upstream: Publisher, Output>: Publisher {
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The result that the closure receives with the first value, and the result if there are no values.
    public let initial: Output
    /// The closure that makes a result from the previous result and a value.
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
      // There is an initial result, so it is never `nil`.
      upstream.subscribe(
        FoldStage<Upstream.Output, Upstream.Failure, S>(subscriber, "TryReduce", initial: initial) {
          [nextPartialResult] in try nextPartialResult($0!, $1)
        })
    }
  }
}

extension Publisher {
  /// Accumulates a result from all values, and delivers it when this publisher finishes.
  ///
  /// For a publisher without values, the result is `initialResult`. A failure passes through at once, without a result.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the result is buffered until it is requested.
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

  /// Accumulates a result from all values; a thrown error cancels upstream and becomes the failure.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the result is buffered until it is requested.
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
