import Combine

// Four overloads, so that the closure's errors keep their type where they have one. Swift prefers the first, and among
// the others those that it can tell apart by the publisher's failure.

extension Publisher where Output: Sendable {
  /// Runs an async closure for each value, several at a time, and delivers the results in the order in which they come.
  ///
  /// ```swift
  /// let cancellable = urls.publisher
  ///   .task(maxPublishers: .max(4)) { url in await size(of: url) }
  ///   .sink { print($0) }
  /// ```
  ///
  /// The closure runs in a task, outside any actor, one after the other where values are ready: a closure that cancels
  /// its own task does so for its own value only. Its task-local values and its priority are those in force at the
  /// subscriber's first request, whoever sends the value. When the subscription is cancelled, values whose closure has
  /// not begun are dropped. The values that a subject sends while `maxPublishers` tasks run are lost, since there is no
  /// demand for them; with a `buffering` policy they are buffered here instead.
  ///
  /// - Demand: Work begins with the subscriber's first request. `maxPublishers` values are requested from upstream, and
  ///   one more with each result delivered; with a `buffering` policy, without limit and at once.
  /// - Cancellation: Cancels upstream and every running task, at once. A failure, of upstream or of a task, does so too
  ///   before it is delivered, and drops the results that have not been delivered.
  /// - Parameters:
  ///   - maxPublishers: How many tasks may run at a time, counting results that have not been delivered yet.
  ///   - buffering: Which values to buffer that arrive while as many tasks run.
  ///   - priority: The priority of the tasks; `nil` for that of the task which makes the first request.
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

  /// Runs an async closure that fails as the publisher does for each value, several at a time, and delivers the results
  /// in the order in which they come.
  ///
  /// The closure has to say which error it throws, since Swift infers `any Error` otherwise:
  ///
  /// ```swift
  /// let cancellable = requests
  ///   .task { request throws(NetworkError) in try await load(request) }
  ///   .sink { print($0) } receiveValue: { print($0) }
  /// ```
  ///
  /// Demand and cancellation are those of the overload whose closure does not throw.
  @_disfavoredOverload
  @inlinable
  public func task<T: Sendable>(
    maxPublishers: Subscribers.Demand = .unlimited, buffering: BufferingPolicy? = nil, priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async throws(Failure) -> T
  ) -> TaskPublisher<Self, T, Failure> {
    TaskPublisher(self, .task, maxPublishers, buffering, priority, transform: transform, mapFailure: { $0 })
  }

  /// Runs an async closure that may fail for each value, several at a time, and delivers the results in the order in
  /// which they come.
  ///
  /// Demand and cancellation are those of the overload whose closure does not throw.
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
  /// Runs an async closure that may fail for each value, several at a time, and delivers the results in the order in
  /// which they come, with the closure's error as the failure.
  ///
  /// Demand and cancellation are those of the overload whose closure does not throw.
  @_disfavoredOverload
  @inlinable
  public func task<T: Sendable, E: Error>(
    maxPublishers: Subscribers.Demand = .unlimited, buffering: BufferingPolicy? = nil, priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async throws(E) -> T
  ) -> TaskPublisher<Self, T, E> {
    TaskPublisher(self, .task, maxPublishers, buffering, priority, transform: transform, mapFailure: { $0 })
  }
}
