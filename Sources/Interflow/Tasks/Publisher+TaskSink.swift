import Combine

extension Publisher where Output: Sendable {
  /// Attaches a subscriber that runs an async closure for each value, several at a time.
  ///
  /// ```swift
  /// let cancellable = requests
  ///   .sink(maxTasks: 4) { completion in
  ///     print(completion)
  ///   } receiveValue: { request in
  ///     await answer(request)
  ///   }
  /// ```
  ///
  /// `receiveCompletion` is called when the last closure has returned, also if upstream has failed: a failure does not
  /// cancel the closures of the values before it. With `maxTasks: 1` the values are handled in order, one after the
  /// other. The closure runs in a task, outside any actor, with the task-local values and the priority of the code that
  /// attaches the sink. It cannot throw. For work that can fail, use `task(maxPublishers:buffering:priority:_:)` before
  /// an ordinary `sink`.
  ///
  /// Values that a subject sends while `maxTasks` tasks run are dropped, since there is no demand for them. With a
  /// `buffering` policy they are buffered instead.
  ///
  /// - Demand: `maxTasks` values are requested from upstream, and one more whenever a closure has returned; with a
  ///   `buffering` policy, without limit.
  /// - Cancellation: Cancels upstream and every running task, at once; `receiveCompletion` is not called then.
  /// - Parameters:
  ///   - maxTasks: How many values may be handled at a time.
  ///   - buffering: Which values to buffer if they arrive while `maxTasks` tasks run.
  ///   - priority: The priority of the tasks; `nil` for the priority of the task that attaches the sink.
  ///   - receiveCompletion: Called once with the completion, unless the subscription is cancelled first.
  ///   - receiveValue: Called with each value.
  /// - Returns: A cancellable that cancels the subscription, also when it is deallocated.
  @inlinable
  public func sink(
    maxTasks: Int, buffering: BufferingPolicy? = nil, priority: TaskPriority? = nil,
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) async -> Void
  ) -> AnyCancellable {
    TaskPublisher(
      self, .sink, .tasks(maxTasks), buffering, priority,
      transform: { (input) async throws(Failure) in await receiveValue(input) }, mapFailure: { $0 }
    ).sink(receiveCompletion: receiveCompletion, receiveValue: {})
  }
}

extension Publisher where Output: Sendable, Failure == Never {
  /// Attaches a subscriber that runs an async closure for each value, several at a time.
  ///
  /// ```swift
  /// let cancellable = urls.publisher
  ///   .sink(maxTasks: 4) { await download($0) }
  /// ```
  ///
  /// Demand and cancellation are as with `sink(maxTasks:buffering:priority:receiveCompletion:receiveValue:)`.
  ///
  /// - Returns: A cancellable that cancels the subscription, also when it is deallocated.
  @inlinable
  public func sink(
    maxTasks: Int, buffering: BufferingPolicy? = nil, priority: TaskPriority? = nil,
    receiveValue: @escaping @Sendable (Output) async -> Void
  ) -> AnyCancellable {
    sink(
      maxTasks: maxTasks, buffering: buffering, priority: priority, receiveCompletion: { _ in },
      receiveValue: receiveValue)
  }
}
