import Combine

// The same four overloads as `task`, for the same reasons.

extension Publisher where Output: Sendable {
  /// Runs an async closure for each value, several at a time, and delivers the results in the order of the values.
  ///
  /// ```swift
  /// let cancellable = urls.publisher
  ///   .concurrentMap(maxTasks: 4) { url in await size(of: url) }
  ///   .sink { print($0) }  // the size of the first, then that of the second ...
  /// ```
  ///
  /// A result is buffered until the results of all values before it have been delivered. Running tasks and buffered
  /// results together are never more than `maxTasks`. If upstream fails, the failure is delivered after the results of
  /// all values before it. If a task fails, the failure is delivered after the results of the values before its own;
  /// upstream and the tasks of later values are cancelled at once.
  ///
  /// The closure runs in a task, outside any actor, with the task-local values and the priority of the code that makes
  /// the subscriber's first request, as with `task`. Values that a subject sends while `maxTasks` tasks run are
  /// dropped, since there is no demand for them. With a `buffering` policy they are buffered instead.
  ///
  /// - Demand: Work begins with the subscriber's first request. `maxTasks` values are requested from upstream, and one
  ///   more with each result delivered; with a `buffering` policy, without limit and at once. The request for one more
  ///   is made just before the result is delivered, so a result waits while upstream's `request` runs.
  /// - Cancellation: Cancels upstream and every running task, at once.
  /// - Parameters:
  ///   - maxTasks: How many tasks may run at a time. A result that has not been delivered counts as a running task.
  ///   - buffering: Which values to buffer if they arrive while `maxTasks` tasks run.
  ///   - priority: The priority of the tasks; `nil` for the priority of the task that makes the first request.
  ///   - transform: The closure.
  @inlinable
  public func concurrentMap<T: Sendable>(
    maxTasks: Int, buffering: BufferingPolicy? = nil, priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async -> T
  ) -> TaskPublisher<Self, T, Failure> {
    TaskPublisher(
      self, .concurrentMap, .tasks(maxTasks), buffering, priority,
      transform: { (input) async throws(Failure) in await transform(input) }, mapFailure: { $0 })
  }

  /// Runs an async closure, which may throw the publisher's failure, for each value, several at a time, and delivers
  /// the results in the order of the values.
  ///
  /// The closure must state the type of its error, because Swift infers `any Error` otherwise:
  ///
  /// ```swift
  /// let cancellable = requests
  ///   .concurrentMap(maxTasks: 4) { request throws(NetworkError) in try await load(request) }
  ///   .sink { print($0) } receiveValue: { print($0) }
  /// ```
  ///
  /// Order, demand and cancellation are as with the overload whose closure does not throw.
  @_disfavoredOverload
  @inlinable
  public func concurrentMap<T: Sendable>(
    maxTasks: Int, buffering: BufferingPolicy? = nil, priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async throws(Failure) -> T
  ) -> TaskPublisher<Self, T, Failure> {
    TaskPublisher(
      self, .concurrentMap, .tasks(maxTasks), buffering, priority, transform: transform, mapFailure: { $0 })
  }

  /// Runs an async closure, which may throw any error, for each value, several at a time, and delivers the results in
  /// the order of the values.
  ///
  /// Order, demand and cancellation are as with the overload whose closure does not throw.
  @_disfavoredOverload
  @inlinable
  public func concurrentMap<T: Sendable>(
    maxTasks: Int, buffering: BufferingPolicy? = nil, priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async throws -> T
  ) -> TaskPublisher<Self, T, any Error> {
    TaskPublisher(
      self, .concurrentMap, .tasks(maxTasks), buffering, priority, transform: transform, mapFailure: { $0 })
  }
}

extension Publisher where Output: Sendable, Failure == Never {
  /// Runs an async closure, which may throw, for each value, several at a time, and delivers the results in the order
  /// of the values, with the closure's error as the failure.
  ///
  /// Order, demand and cancellation are as with the overload whose closure does not throw.
  @_disfavoredOverload
  @inlinable
  public func concurrentMap<T: Sendable, E: Error>(
    maxTasks: Int, buffering: BufferingPolicy? = nil, priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async throws(E) -> T
  ) -> TaskPublisher<Self, T, E> {
    TaskPublisher(
      self, .concurrentMap, .tasks(maxTasks), buffering, priority, transform: transform, mapFailure: { $0 })
  }
}
