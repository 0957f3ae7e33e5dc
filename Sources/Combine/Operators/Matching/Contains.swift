extension Publishers {
  /// A publisher of whether another delivers a given value.
  @frozen
  public struct Contains<Upstream: Publisher>: Publisher where Upstream.Output: Equatable {
    /// The kind of values that the publisher delivers.
    public typealias Output = Bool
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The value to look for.
    public let output: Upstream.Output

    /// Makes a publisher that looks for a value of another.
    @inlinable
    public init(upstream: Upstream, output: Upstream.Output) {
      self.upstream = upstream
      self.output = output
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        SearchStage<Upstream.Output, Failure, S>(subscriber, "Contains", undecided: false) { [output] in
          $0 == output ? true : nil
        })
    }
  }

  /// A publisher of whether another delivers a value that a closure accepts.
  @frozen
  public struct ContainsWhere<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Bool
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
        SearchStage<Upstream.Output, Failure, S>(subscriber, "ContainsWhere", undecided: false) {
          [predicate] in predicate($0) ? true : nil
        })
    }
  }

  /// A publisher of whether another delivers a value that a closure, which may throw, accepts.
  @frozen
  public struct TryContainsWhere<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Bool
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
        SearchStage<Upstream.Output, Upstream.Failure, S>(
          subscriber, "TryContainsWhere", undecided: false
        ) {
          [predicate] in try predicate($0) ? true : nil
        })
    }
  }
}

extension Publishers.Contains: Equatable where Upstream: Equatable {}
extension Publishers.Contains: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publisher {
  /// Delivers `true` when a given value is received, or `false` if this publisher finishes without it.
  ///
  /// The value cancels upstream. A failure passes through at once.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the result is buffered until it is requested.
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .contains(2)
  ///   .sink { print($0) }  // true
  /// ```
  @inlinable
  public func contains(_ output: Output) -> Publishers.Contains<Self> where Output: Equatable {
    Publishers.Contains(upstream: self, output: output)
  }

  /// Delivers `true` when a closure accepts a value, or `false` if this publisher finishes before that.
  ///
  /// The value cancels upstream. A failure passes through at once.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the result is buffered until it is requested.
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .contains { $0 > 3 }
  ///   .sink { print($0) }  // false
  /// ```
  @inlinable
  public func contains(where predicate: @escaping (Output) -> Bool) -> Publishers.ContainsWhere<Self> {
    Publishers.ContainsWhere(upstream: self, predicate: predicate)
  }

  /// Delivers whether a closure accepts a value; a thrown error cancels upstream and becomes the failure.
  ///
  /// - Demand: Unlimited demand is requested from upstream; the result is buffered until it is requested.
  ///
  /// ```swift
  /// struct Negative: Error {}
  /// let cancellable = [1, -1, 3].publisher
  ///   .tryContains { number in
  ///     if number < 0 { throw Negative() }
  ///     return number == 3
  ///   }
  ///   .sink { print($0) } receiveValue: { print($0) }  // failure(Negative())
  /// ```
  @inlinable
  public func tryContains(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryContainsWhere<Self> {
    Publishers.TryContainsWhere(upstream: self, predicate: predicate)
  }
}
