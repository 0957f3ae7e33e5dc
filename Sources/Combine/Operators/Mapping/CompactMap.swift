extension Publishers {
  /// A publisher that transforms each value with a closure, and drops the `nil` results.
  @frozen
  public struct CompactMap<Upstream: Publisher, Output>: Publisher {
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The closure that transforms a value; a value that becomes `nil` is dropped.
    public let transform: (Upstream.Output) -> Output?

    /// Makes a publisher that transforms the values of another.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, transform: transform))
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: PassThrough where Downstream.Input == Output {
      @usableFromInline typealias Failure = Downstream.Failure

      @usableFromInline let downstream: Downstream
      @usableFromInline let transform: (Upstream.Output) -> Output?

      @inlinable
      init(downstream: Downstream, transform: @escaping (Upstream.Output) -> Output?) {
        self.downstream = downstream
        self.transform = transform
      }

      @inlinable
      @inline(__always)
      func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        guard let output = transform(input) else { return .max(1) }
        return downstream.receive(output)
      }

      @usableFromInline var operatorName: String { "CompactMap" }
    }
  }

  /// A publisher that transforms each value with a closure that may throw, and drops the `nil` results.
  @frozen
  public struct TryCompactMap<Upstream: Publisher, Output>: Publisher {
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The closure that transforms a value; a value that becomes `nil` is dropped.
    public let transform: (Upstream.Output) throws -> Output?

    /// Makes a publisher that transforms the values of another.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribe(
        TryCompactMapStage<Upstream.Output, Upstream.Failure, S>(
          subscriber, UpstreamLink("TryCompactMap", .trapsEarlySignals), transform: transform))
    }
  }
}

/// A ``Stage`` that calls a closure for each value, and delivers the results other than `nil`.
@usableFromInline
final class TryCompactMapStage<Input, Failure: Error, Downstream: Subscriber>: Stage<Failure, Downstream>,
  OperatorSubscriber
{
  @usableFromInline let transform: (Input) throws -> Downstream.Input?

  @inlinable
  init(_ downstream: Downstream, _ link: UpstreamLink, transform: @escaping (Input) throws -> Downstream.Input?) {
    self.transform = transform
    super.init(downstream, link)
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return link.refuse() }
    do {
      guard let output = try transform(input) else { return .max(1) }
      // The closure may have ended the stream.
      return link.hasEnded ? .none : downstream.receive(output)
    } catch {
      return fail(error)
    }
  }
}

extension Publisher {
  /// Transforms each value with a closure, and drops the `nil` results.
  ///
  /// Demand, completion and cancellation pass through: the subscriber gets this publisher's own subscription. A value
  /// that is dropped requests another in its place.
  ///
  /// ```swift
  /// let cancellable = ["1", "x", "3"].publisher
  ///   .compactMap { Int($0) }
  ///   .sink { print($0) }  // 1, 3
  /// ```
  @inlinable
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> {
    Publishers.CompactMap(upstream: self, transform: transform)
  }

  /// Transforms each value and drops the `nil` results; a thrown error cancels upstream and becomes the failure.
  ///
  /// A value, a completion or a request before the subscription is a programming error and traps, as with Apple's.
  ///
  /// - Demand: Passes through; a value that is dropped requests another in its place.
  ///
  /// ```swift
  /// struct Blank: Error {}
  /// let cancellable = ["1", "x", ""].publisher
  ///   .tryCompactMap { text -> Int? in
  ///     if text.isEmpty { throw Blank() }
  ///     return Int(text)
  ///   }
  ///   .sink { print($0) } receiveValue: { print($0) }  // 1, failure(Blank())
  /// ```
  @inlinable
  public func tryCompactMap<T>(_ transform: @escaping (Output) throws -> T?) -> Publishers.TryCompactMap<Self, T> {
    Publishers.TryCompactMap(upstream: self, transform: transform)
  }
}

extension Publishers.CompactMap {
  /// Transforms each value once more, combined with the transformation before into one operator.
  @inlinable
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).flatMap(transform) }
  }

  /// Transforms each value once more, combined with the transformation before into one operator.
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.CompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).map(transform) }
  }
}

extension Publishers.TryCompactMap {
  /// Transforms each value once more with a closure that may throw, combined with the transformation before into one
  /// operator.
  @inlinable
  public func compactMap<T>(_ transform: @escaping (Output) throws -> T?) -> Publishers.TryCompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryCompactMap<Upstream, T>(upstream: upstream) { try first($0).flatMap(transform) }
  }
}
