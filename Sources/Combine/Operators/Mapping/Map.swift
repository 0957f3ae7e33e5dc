extension Publishers {
  /// A publisher that transforms each value with a closure.
  @frozen
  public struct Map<Upstream: Publisher, Output>: Publisher {
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are transformed.
    public let upstream: Upstream

    /// The closure that transforms a value.
    public let transform: (Upstream.Output) -> Output

    /// Makes a publisher that transforms the values of another.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, transform: transform))
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: PassThrough where Downstream.Input == Output {
      @usableFromInline let downstream: Downstream
      @usableFromInline let transform: (Upstream.Output) -> Output

      @inlinable
      init(downstream: Downstream, transform: @escaping (Upstream.Output) -> Output) {
        self.downstream = downstream
        self.transform = transform
      }

      @inlinable
      @inline(__always)
      func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        downstream.receive(transform(input))
      }

      @inlinable
      func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        downstream.receive(completion: completion)
      }

      @usableFromInline var operatorName: String { "Map" }
    }
  }
}

extension Publisher {
  /// Transforms each value with a closure.
  ///
  /// Demand, completion and cancellation pass through: the subscriber gets this publisher's own subscription.
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .map { $0 * 10 }
  ///   .sink { print($0) }  // 10, 20, 30
  /// ```
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
    Publishers.Map(upstream: self, transform: transform)
  }
}

extension Publishers.Map {
  /// Transforms each value once more, combined with the transformation before into one operator.
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Upstream, T> {
    let first = self.transform
    return Publishers.Map<Upstream, T>(upstream: upstream) { transform(first($0)) }
  }
}
