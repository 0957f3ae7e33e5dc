import Combine

// Four overloads, so that the failure has the type of the closure's error if the closure states one. The others are
// disfavoured, so that a closure that does not throw selects the first.

extension Publisher where Output: Sendable {
  /// Runs an async closure for each value, several at a time, and delivers each result when its closure returns.
  ///
  /// ```swift
  /// let cancellable = urls.publisher
  ///   .task(maxPublishers: .max(4)) { url in await size(of: url) }
  ///   .sink { print($0) }
  /// ```
  ///
  /// The closure runs in a task, outside any actor, with the task-local values and the priority of the code that makes
  /// the subscriber's first request. One task may run the closure for several values, one after the other; a closure
  /// that cancels its own task cancels only the work for its own value. When the subscription is cancelled, values
  /// whose closure has not begun are dropped. Values that a subject sends while `maxPublishers` tasks run are dropped,
  /// since there is no demand for them. With a `buffering` policy they are buffered instead.
  ///
  /// - Demand: Work begins with the subscriber's first request. `maxPublishers` values are requested from upstream, and
  ///   one more with each result delivered; with a `buffering` policy, without limit and at once. The request for one
  ///   more is made just before the result is delivered, so a result waits while upstream's `request` runs.
  /// - Cancellation: Cancels upstream and every running task, at once. If upstream or a task fails, the same happens
  ///   before the failure is delivered, and results that have not been delivered are dropped.
  /// - Parameters:
  ///   - maxPublishers: How many tasks may run at a time. A result that has not been delivered counts as a running
  ///     task.
  ///   - buffering: Which values to buffer if they arrive while `maxPublishers` tasks run.
  ///   - priority: The priority of the tasks; `nil` for the priority of the task that makes the first request.
  ///   - transform: The closure.
  @inlinable
  public func task<T: Sendable>(
    maxPublishers: Subscribers.Demand = .unlimited, buffering: BufferingPolicy? = nil, priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async -> T
  ) -> TaskPublisher<Self, T, Failure> {
    TaskPublisher(
      self, .task, maxPublishers, buffering, priority,
      transform: { (input) async throws(Failure) in await transform(input) },
      mapFailure: { $0 })
  }

  /// Runs an async closure, which may throw the publisher's failure, for each value, several at a time, and delivers
  /// each result when its closure returns.
  ///
  /// The closure must state the type of its error, because Swift infers `any Error` otherwise:
  ///
  /// ```swift
  /// let cancellable = requests
  ///   .task { request throws(NetworkError) in try await load(request) }
  ///   .sink { print($0) } receiveValue: { print($0) }
  /// ```
  ///
  /// Demand and cancellation are as with the overload whose closure does not throw.
  @_disfavoredOverload
  @inlinable
  public func task<T: Sendable>(
    maxPublishers: Subscribers.Demand = .unlimited, buffering: BufferingPolicy? = nil, priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async throws(Failure) -> T
  ) -> TaskPublisher<Self, T, Failure> {
    TaskPublisher(self, .task, maxPublishers, buffering, priority, transform: transform, mapFailure: { $0 })
  }

  /// Runs an async closure, which may throw any error, for each value, several at a time, and delivers each result when
  /// its closure returns.
  ///
  /// Demand and cancellation are as with the overload whose closure does not throw.
  @_disfavoredOverload
  @inlinable
  public func task<T: Sendable>(
    maxPublishers: Subscribers.Demand = .unlimited, buffering: BufferingPolicy? = nil, priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async throws -> T
  ) -> TaskPublisher<Self, T, any Error> {
    TaskPublisher(self, .task, maxPublishers, buffering, priority, transform: transform, mapFailure: { $0 })
  }
}

extension Publisher where Output: Sendable, Failure == Never {
  /// Runs an async closure, which may throw, for each value, several at a time, and delivers each result when its
  /// closure returns, with the closure's error as the failure.
  ///
  /// Demand and cancellation are as with the overload whose closure does not throw.
  @_disfavoredOverload
  @inlinable
  public func task<T: Sendable, E: Error>(
    maxPublishers: Subscribers.Demand = .unlimited, buffering: BufferingPolicy? = nil, priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async throws(E) -> T
  ) -> TaskPublisher<Self, T, E> {
    TaskPublisher(self, .task, maxPublishers, buffering, priority, transform: transform, mapFailure: { $0 })
  }
}
