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
    /// How many of the publishers made are subscribed to at a time.
    public let maxPublishers: Subscribers.Demand
    /// The closure that makes a publisher from a value.
    public let transform: (Upstream.Output) -> NewPublisher

    /// Makes a publisher that flattens what a closure makes of another's values.
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
  /// Makes a publisher from each value and delivers the values of all of them, as they come.
  ///
  /// - Demand: Upstream is asked for `maxPublishers` values, and for another when one of the publishers has finished and
  ///   its values have been taken: while one waits for demand, the place of its publisher is not free. While the
  ///   subscriber's demand has a limit, each publisher is asked for one value at a time, so that at most one of each
  ///   waits.
  ///
  /// A failure of any of them cancels the others and ends the stream; what the subscriber has asked for goes out before
  /// it. The stream finishes when upstream and all publishers have. A subject upstream drops what it sends while
  /// `maxPublishers` are busy; put a `buffer` before this to keep it.
  ///
  /// - Thread: What is sent from inside the subscriber, on the thread that delivers, is delivered at once, inside the
  ///   delivery. What another thread sends meanwhile waits for its turn, and is delivered on that thread.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher
  ///   .flatMap { [$0, $0 * 10].publisher }
  ///   .sink { print($0) }  // 1, 10, 2, 20
  /// ```
  ///
  /// - Parameters:
  ///   - maxPublishers: How many publishers are subscribed to at a time.
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
