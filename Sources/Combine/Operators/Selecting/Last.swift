extension Publishers {
  /// A publisher of the last value of another.
  @frozen
  public struct Last<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream

    /// Makes a publisher of the last value of another.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(FoldStage<Output, Failure, S>(subscriber, "Last") { $1 })
    }
  }

  /// A publisher of the last value of another that a closure accepts.
  @frozen
  public struct LastWhere<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The closure that accepts a value.
    public let predicate: (Upstream.Output) -> Bool

    /// Makes a publisher that looks for a value of another.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        FoldStage<Output, Failure, S>(subscriber, "LastWhere") { [predicate] in
          predicate($1) ? $1 : $0
        })
    }
  }

  /// A publisher of the last value of another that a closure, which may throw, accepts.
  @frozen
  public struct TryLastWhere<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The closure that accepts a value.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Makes a publisher that looks for a value of another.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribe(
        FoldStage<Output, Upstream.Failure, S>(subscriber, "TryLastWhere") { [predicate] in
          try predicate($1) ? $1 : $0
        })
    }
  }
}

extension Publishers.Last: Equatable where Upstream: Equatable {}
extension Publishers.Last: Sendable where Upstream: Sendable {}

extension Publisher {
  /// Delivers the last value when this publisher finishes; a publisher without values just finishes.
  ///
  /// A failure passes through at once, without a value.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the value, or the completion if there is no value, is
  ///   buffered until there is a request.
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .last()
  ///   .sink { print($0) }  // 3
  /// ```
  @inlinable
  public func last() -> Publishers.Last<Self> {
    Publishers.Last(upstream: self)
  }

  /// Delivers the last value that a closure accepts, when this publisher finishes.
  ///
  /// A failure passes through at once, without a value.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the value, or the completion if there is no value, is
  ///   buffered until there is a request.
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .last { $0 < 3 }
  ///   .sink { print($0) }  // 2
  /// ```
  @inlinable
  public func last(where predicate: @escaping (Output) -> Bool) -> Publishers.LastWhere<Self> {
    Publishers.LastWhere(upstream: self, predicate: predicate)
  }

  /// Delivers the last value that a closure accepts; a thrown error cancels upstream and becomes the failure.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the value, or the completion if there is no value, is
  ///   buffered until there is a request.
  ///
  /// ```swift
  /// struct Negative: Error {}
  /// let cancellable = [1, -1].publisher
  ///   .tryLast { number in
  ///     if number < 0 { throw Negative() }
  ///     return number < 3
  ///   }
  ///   .sink { print($0) } receiveValue: { print($0) }  // failure(Negative())
  /// ```
  @inlinable
  public func tryLast(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryLastWhere<Self> {
    Publishers.TryLastWhere(upstream: self, predicate: predicate)
  }
}
