import Combine

// The overloads are those of `task`, for the same reasons.

extension Publisher where Output: Sendable {
  /// Runs an async closure for each value, several at a time, and delivers the results in the order of the values.
  ///
  /// ```swift
  /// let cancellable = urls.publisher
  ///   .concurrentMap(maxTasks: 4) { url in await size(of: url) }
  ///   .sink { print($0) }  // the size of the first, then that of the second ...
  /// ```
  ///
  /// A result is buffered until those of the values before it have been delivered, and counts as a running task until
  /// then: running tasks and buffered results are never more than `maxTasks` together. So does a failure. One of
  /// upstream comes after the results of all the values before it; one of a task, after the results of the values
  /// before its own, while upstream and the tasks of later values are cancelled as soon as the failure is known.
  ///
  /// The closure runs in a task, outside any actor, with the task-local values and the priority that are in force at
  /// the subscriber's first request, as with `task`. The values that a subject sends while `maxTasks` tasks run are
  /// lost, since there is no demand for them; with a `buffering` policy they are buffered here instead.
  ///
  /// - Demand: Work begins with the subscriber's first request. `maxTasks` values are requested from upstream, and one
  ///   more with each result delivered; with a `buffering` policy, without limit and at once.
  /// - Cancellation: Cancels upstream and every running task, at once.
  /// - Parameters:
  ///   - maxTasks: How many tasks may run at a time, counting results that have not been delivered yet.
  ///   - buffering: Which values to buffer that arrive while as many tasks run.
  ///   - priority: The priority of the tasks; `nil` for that of the task which makes the first request.
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

  /// Runs an async closure that fails as the publisher does for each value, several at a time, and delivers the results
  /// in the order of the values.
  ///
  /// The closure has to say which error it throws, since Swift infers `any Error` otherwise:
  ///
  /// ```swift
  /// let cancellable = requests
  ///   .concurrentMap(maxTasks: 4) { request throws(NetworkError) in try await load(request) }
  ///   .sink { print($0) } receiveValue: { print($0) }
  /// ```
  ///
  /// Order, demand and cancellation are those of the overload whose closure does not throw.
  @_disfavoredOverload
  @inlinable
  public func concurrentMap<T: Sendable>(
    maxTasks: Int, buffering: BufferingPolicy? = nil, priority: TaskPriority? = nil,
    _ transform: @escaping @Sendable (Output) async throws(Failure) -> T
  ) -> TaskPublisher<Self, T, Failure> {
    TaskPublisher(
      self, .concurrentMap, .tasks(maxTasks), buffering, priority, transform: transform, mapFailure: { $0 })
  }

  /// Runs an async closure that may fail for each value, several at a time, and delivers the results in the order of
  /// the values.
  ///
  /// Order, demand and cancellation are those of the overload whose closure does not throw.
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
  /// Runs an async closure that may fail for each value, several at a time, and delivers the results in the order of
  /// the values, with the closure's error as the failure.
  ///
  /// Order, demand and cancellation are those of the overload whose closure does not throw.
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
