extension Publishers {
  /// A publisher that passes on only the values that a closure accepts.
  @frozen
  public struct Filter<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are filtered.
    public let upstream: Upstream

    /// The closure that accepts a value.
    public let isIncluded: (Output) -> Bool

    /// Makes a publisher that filters the values of another.
    @inlinable
    public init(upstream: Upstream, isIncluded: @escaping (Output) -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, isIncluded: isIncluded))
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: PassThrough where Downstream.Input == Output {
      @usableFromInline typealias Failure = Downstream.Failure

      @usableFromInline let downstream: Downstream
      @usableFromInline let isIncluded: (Output) -> Bool

      @inlinable
      init(downstream: Downstream, isIncluded: @escaping (Output) -> Bool) {
        self.downstream = downstream
        self.isIncluded = isIncluded
      }

      @inlinable
      @inline(__always)
      func receive(_ input: Output) -> Subscribers.Demand {
        isIncluded(input) ? downstream.receive(input) : .max(1)
      }

      @usableFromInline var operatorName: String { "Filter" }
    }
  }
}

extension Publisher {
  /// Passes on only the values that a closure accepts.
  ///
  /// Demand, completion and cancellation pass through: the subscriber gets this publisher's own subscription. A value
  /// that is dropped requests another in its place, so the subscriber gets as many as it has requested.
  ///
  /// ```swift
  /// let cancellable = (1...6).publisher
  ///   .filter { $0.isMultiple(of: 2) }
  ///   .sink { print($0) }  // 2, 4, 6
  /// ```
  @inlinable
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
    Publishers.Filter(upstream: self, isIncluded: isIncluded)
  }
}
