import Combine

extension Publisher where Output: Sendable {
  /// Attaches a subscriber that runs an async closure for one value at a time, and requests the next when it returns.
  ///
  /// ```swift
  /// let cancellable = events
  ///   .buffer(size: 10, prefetch: .keepFull, whenFull: .dropOldest)
  ///   .oneByOneSink { print($0) } receiveValue: { event in await handle(event) }
  /// ```
  ///
  /// This is a ``OneByOneSink`` with an async closure. To request each value by a call of ``OneByOneSink/resume()``
  /// instead, make a sink with a closure that is not async, and subscribe it. The tasks have the task-local values of
  /// the code that attaches the sink.
  ///
  /// - Demand: One value at a time.
  /// - Cancellation: Cancels upstream and the running task, at once; `receiveCompletion` is not called then.
  /// - Parameters:
  ///   - priority: The priority of the tasks; `nil` for the priority of the task that attaches the sink.
  ///   - receiveCompletion: Called once with the completion, when the last closure has returned.
  ///   - receiveValue: Called with each value.
  /// - Returns: A cancellable that cancels the subscription, also when it is deallocated.
  @inlinable
  public func oneByOneSink(
    priority: TaskPriority? = nil,
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) async -> Void
  ) -> AnyCancellable {
    sink(maxTasks: 1, priority: priority, receiveCompletion: receiveCompletion, receiveValue: receiveValue)
  }
}

extension Publisher where Output: Sendable, Failure == Never {
  /// Attaches a subscriber that runs an async closure for one value at a time, and requests the next when it returns.
  ///
  /// - Parameters:
  ///   - priority: The priority of the tasks; `nil` for the priority of the task that attaches the sink.
  ///   - receiveValue: Called with each value.
  /// - Returns: A cancellable that cancels the subscription, also when it is deallocated.
  @inlinable
  public func oneByOneSink(
    priority: TaskPriority? = nil, receiveValue: @escaping @Sendable (Output) async -> Void
  ) -> AnyCancellable {
    oneByOneSink(priority: priority, receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}
