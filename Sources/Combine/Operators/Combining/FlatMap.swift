extension Publishers {
  /// A publisher that makes a publisher from each value and delivers the values of all of them.
  @frozen
  public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
  where NewPublisher.Failure == Upstream.Failure {
    /// The kind of values that the publisher delivers.
    public typealias Output = NewPublisher.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are made into publishers.
    public let upstream: Upstream
    /// The maximum number of publishers that are subscribed to at a time.
    public let maxPublishers: Subscribers.Demand
    /// The closure that makes a publisher from a value.
    public let transform: (Upstream.Output) -> NewPublisher

    /// Makes a publisher that subscribes to the publishers that a closure makes from another's values.
    @inlinable
    public init(
      upstream: Upstream, maxPublishers: Subscribers.Demand,
      transform: @escaping (Upstream.Output) -> NewPublisher
    ) {
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let subscription = FlatMapSubscription(subscriber, maxPublishers: maxPublishers, transform: transform)
      subscriber.receive(subscription: subscription)
      upstream.subscribe(subscription)
    }
  }
}

extension Publisher {
  /// Makes a publisher from each value and delivers the values of all of them, as they arrive.
  ///
  /// If upstream or one of the publishers fails, the others are cancelled, and the failure is delivered after the
  /// buffered values that have been requested. The stream finishes when upstream and all publishers have finished. A
  /// subject upstream drops values that it sends while `maxPublishers` publishers are subscribed to; put a `buffer`
  /// before `flatMap` to keep them.
  ///
  /// - Demand: `maxPublishers` values are requested from upstream, and another one when a publisher has finished and
  ///   all its values have been delivered. If the subscriber's demand is limited, one value at a time is requested from
  ///   each publisher, so that at most one of each is buffered.
  /// - Thread: A value is delivered on the thread that sends it. If another thread is delivering, the sender waits
  ///   until that delivery has ended. A value that is sent from inside the subscriber is delivered immediately, as a
  ///   nested call.
  /// - Cancellation: Cancels upstream and all publishers, and drops the buffered values.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher
  ///   .flatMap { [$0, $0 * 10].publisher }
  ///   .sink { print($0) }  // 1, 10, 2, 20
  /// ```
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of publishers that are subscribed to at a time.
  ///   - transform: Makes a publisher from a value.
  @inlinable
  public func flatMap<T, P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where T == P.Output, Failure == P.Failure {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }
}

extension Publisher where Failure == Never {
  /// Makes a publisher that may fail from each value of one that cannot, and delivers the values of all of them.
  ///
  /// Demand and completion are as for publishers that fail alike.
  @inlinable
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
    setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
  }

  /// Makes a publisher that cannot fail from each value, and delivers the values of all of them.
  ///
  /// Demand and completion are as for publishers that fail alike.
  @inlinable
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }
}

extension Publisher {
  /// Makes a publisher that cannot fail from each value of one that may, and delivers the values of all of them.
  ///
  /// Demand and completion are as for publishers that fail alike.
  @inlinable
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
    flatMap(maxPublishers: maxPublishers) { transform($0).setFailureType(to: Failure.self) }
  }
}
