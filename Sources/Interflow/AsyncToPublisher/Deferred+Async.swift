import Combine

extension Deferred {
  /// Makes a publisher that runs an async closure for each subscriber, and delivers what it returns.
  ///
  /// ```swift
  /// let page = Deferred { try await fetch(url) }
  /// let cancellable = page.retry(2).sink { print($0) } receiveValue: { show($0) }
  /// ```
  ///
  /// `Failure` is `Never` if the closure does not throw; otherwise, the type of error that it states, or `any Error`.
  /// The closure runs once for each subscription, so `retry` runs it again, and `share()` delivers the result of one
  /// run to several subscribers.
  ///
  /// - Demand: The closure runs with the subscriber's first request. The completion follows the value at once.
  /// - Thread: The closure runs in a task of its own, outside any actor, and the result is delivered there.
  /// - Cancellation: Cancels the task at once; nothing is delivered afterwards. A `CancellationError` that the closure
  ///   throws without a cancellation is an ordinary failure.
  /// - Parameters:
  ///   - priority: The priority of the task.
  ///   - operation: The closure.
  @inlinable
  @_disfavoredOverload  // A closure that is not async and returns a publisher selects Combine's initializer.
  public init<Output: Sendable, Failure: Error>(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws(Failure) -> Output
  ) where DeferredPublisher == TaskPublisher<Just<Void>, Output, Failure> {
    self.init {
      TaskPublisher(
        Just(()), .deferred, .max(1), nil, priority,
        transform: { (_) async throws(Failure) in try await operation() }, mapFailure: { $0 })
    }
  }
}
