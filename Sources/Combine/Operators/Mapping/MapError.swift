extension Publishers {
  /// A publisher that transforms the failure of another.
  @frozen
  public struct MapError<Upstream: Publisher, Failure: Error>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output

    /// The publisher whose failure is transformed.
    public let upstream: Upstream
    /// The closure that transforms the error.
    public let transform: (Upstream.Failure) -> Failure

    @inlinable
    init(upstream: Upstream, transform: @escaping (Upstream.Failure) -> Failure) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Makes a publisher that transforms the failure of another.
    @inlinable
    public init(upstream: Upstream, _ map: @escaping (Upstream.Failure) -> Failure) {
      self.init(upstream: upstream, transform: map)
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, transform: transform))
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: PassThrough
    where Downstream.Input == Upstream.Output, Downstream.Failure == Failure {
      @usableFromInline typealias Input = Upstream.Output

      @usableFromInline let downstream: Downstream
      @usableFromInline let transform: (Upstream.Failure) -> Downstream.Failure

      @inlinable
      init(downstream: Downstream, transform: @escaping (Upstream.Failure) -> Downstream.Failure) {
        self.downstream = downstream
        self.transform = transform
      }

      @inlinable
      @inline(__always)
      func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        downstream.receive(input)
      }

      @inlinable
      func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        downstream.receive(completion: completion.mapError(transform))
      }

      @usableFromInline var operatorName: String { "MapError" }
    }
  }
}

extension Publisher {
  /// Transforms the failure with a closure.
  ///
  /// Values, demand and cancellation pass through.
  ///
  /// ```swift
  /// struct Refused: Error { let reason: any Error }
  /// let publisher = [1].publisher.tryMap { $0 }.mapError { Refused(reason: $0) }
  /// ```
  @inlinable
  public func mapError<E: Error>(_ transform: @escaping (Failure) -> E)
    -> Publishers.MapError<Self, E>
  {
    Publishers.MapError(upstream: self, transform: transform)
  }
}
