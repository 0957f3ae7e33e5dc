extension Publishers {
  /// A publisher of the first value of another.
  @frozen
  public struct First<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream

    /// Makes a publisher of the first value of another.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(SearchStage<Output, Failure, S>(subscriber, "First") { $0 })
    }
  }

  /// A publisher of the first value of another that a closure accepts.
  @frozen
  public struct FirstWhere<Upstream: Publisher>: Publisher {
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
      // The name that Apple's has, and `print` shows.
      upstream.subscribe(
        SearchStage<Output, Failure, S>(subscriber, "TryFirst") { [predicate] in
          predicate($0) ? $0 : nil
        })
    }
  }

  /// A publisher of the first value of another that a closure, which may throw, accepts.
  @frozen
  public struct TryFirstWhere<Upstream: Publisher>: Publisher {
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
        SearchStage<Output, Upstream.Failure, S>(subscriber, "TryFirstWhere") { [predicate] in
          try predicate($0) ? $0 : nil
        })
    }
  }
}

extension Publishers.First: Equatable where Upstream: Equatable {}
extension Publishers.First: Sendable where Upstream: Sendable {}

extension Publisher {
  /// Delivers the first value, cancels upstream and finishes; a publisher without values just finishes.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the value, or the completion if there is no value, is
  ///   buffered until there is a request.
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .first()
  ///   .sink { print($0) }  // 1
  /// ```
  @inlinable
  public func first() -> Publishers.First<Self> {
    Publishers.First(upstream: self)
  }

  /// Delivers the first value that a closure accepts, cancels upstream and finishes.
  ///
  /// Without such a value, the completion passes through.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the value, or the completion if there is no value, is
  ///   buffered until there is a request.
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .first { $0 > 1 }
  ///   .sink { print($0) }  // 2
  /// ```
  @inlinable
  public func first(where predicate: @escaping (Output) -> Bool) -> Publishers.FirstWhere<Self> {
    Publishers.FirstWhere(upstream: self, predicate: predicate)
  }

  /// Delivers the first value that a closure accepts; a thrown error cancels upstream and becomes the failure.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the value, or the completion if there is no value, is
  ///   buffered until there is a request.
  ///
  /// ```swift
  /// struct Negative: Error {}
  /// let cancellable = [1, -1].publisher
  ///   .tryFirst { number in
  ///     if number < 0 { throw Negative() }
  ///     return number > 1
  ///   }
  ///   .sink { print($0) } receiveValue: { print($0) }  // failure(Negative())
  /// ```
  @inlinable
  public func tryFirst(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryFirstWhere<Self> {
    Publishers.TryFirstWhere(upstream: self, predicate: predicate)
  }
}
