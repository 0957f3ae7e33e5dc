extension Publishers {
  /// A publisher of whether a closure accepts all values of another.
  @frozen
  public struct AllSatisfy<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Bool
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The closure that accepts a value.
    public let predicate: (Upstream.Output) -> Bool

    /// Makes a publisher that tests the values of another.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        SearchStage<Upstream.Output, Failure, S>(subscriber, "AllSatisfy", undecided: true) {
          [predicate] in predicate($0) ? nil : false
        })
    }
  }

  /// A publisher of whether a closure, which may throw, accepts all values of another.
  @frozen
  public struct TryAllSatisfy<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Bool
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The closure that accepts a value.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Makes a publisher that tests the values of another.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribe(
        SearchStage<Upstream.Output, Upstream.Failure, S>(subscriber, "TryAllSatisfy", undecided: true) {
          [predicate] in try predicate($0) ? nil : false
        })
    }
  }
}

extension Publisher {
  /// Delivers `false` when a closure rejects a value, or `true` if this publisher finishes before that.
  ///
  /// A rejected value cancels upstream. A failure passes through at once. For a publisher without values, the result is
  /// `true`.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the result is buffered until it is requested.
  ///
  /// ```swift
  /// let cancellable = [2, 4, 6].publisher
  ///   .allSatisfy { $0.isMultiple(of: 2) }
  ///   .sink { print($0) }  // true
  /// ```
  @inlinable
  public func allSatisfy(_ predicate: @escaping (Output) -> Bool) -> Publishers.AllSatisfy<Self> {
    Publishers.AllSatisfy(upstream: self, predicate: predicate)
  }

  /// Delivers whether a closure accepts all values; a thrown error cancels upstream and becomes the failure.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the result is buffered until it is requested.
  ///
  /// ```swift
  /// struct Negative: Error {}
  /// let cancellable = [2, -2].publisher
  ///   .tryAllSatisfy { number in
  ///     if number < 0 { throw Negative() }
  ///     return number.isMultiple(of: 2)
  ///   }
  ///   .sink { print($0) } receiveValue: { print($0) }  // failure(Negative())
  /// ```
  @inlinable
  public func tryAllSatisfy(_ predicate: @escaping (Output) throws -> Bool) -> Publishers.TryAllSatisfy<Self> {
    Publishers.TryAllSatisfy(upstream: self, predicate: predicate)
  }
}
