extension Publishers {
  /// A publisher that transforms each value with a closure that may throw.
  @frozen
  public struct TryMap<Upstream: Publisher, Output>: Publisher {
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// The closure that transforms a value.
    public let transform: (Upstream.Output) throws -> Output

    /// Makes a publisher that transforms the values of another.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == any Error {
      upstream.subscribe(
        TryMapStage<Upstream.Output, Upstream.Failure, S>(
          subscriber, UpstreamLink("TryMap"), transform: transform))
    }
  }
}

/// A ``Stage`` that calls a closure for each value, and fails with the error that it throws.
@usableFromInline
final class TryMapStage<Input, Failure: Error, Downstream: Subscriber>: Stage<Failure, Downstream>,
  OperatorSubscriber
{
  @usableFromInline let transform: (Input) throws -> Downstream.Input

  @inlinable
  init(
    _ downstream: Downstream, _ link: UpstreamLink,
    transform: @escaping (Input) throws -> Downstream.Input
  ) {
    self.transform = transform
    super.init(downstream, link)
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard !link.hasEnded else { return .none }
    do {
      let output = try transform(input)
      // The closure may have ended the stream.
      return link.hasEnded ? .none : downstream.receive(output)
    } catch {
      return fail(error)
    }
  }
}

extension Publisher {
  /// Transforms each value with a closure that may throw; a thrown error cancels upstream and becomes the failure.
  ///
  /// Demand, completion and cancellation pass through.
  ///
  /// ```swift
  /// struct NotANumber: Error {}
  /// let cancellable = ["1", "x"].publisher
  ///   .tryMap { text -> Int in
  ///     guard let number = Int(text) else { throw NotANumber() }
  ///     return number
  ///   }
  ///   .sink { print($0) } receiveValue: { print($0) }  // 1, failure(NotANumber())
  /// ```
  @inlinable
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Self, T> {
    Publishers.TryMap(upstream: self, transform: transform)
  }
}

extension Publishers.Map {
  /// Transforms each value once more with a closure that may throw, combined with the transformation before into one
  /// operator.
  @inlinable
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T)
    -> Publishers.TryMap<Upstream, T>
  {
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
  }
}

extension Publishers.TryMap {
  /// Transforms each value once more, combined with the transformation before into one operator.
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.TryMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { transform(try first($0)) }
  }

  /// Transforms each value once more with a closure that may throw, combined with the transformation before into one
  /// operator.
  @inlinable
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T)
    -> Publishers.TryMap<Upstream, T>
  {
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(try first($0)) }
  }
}
