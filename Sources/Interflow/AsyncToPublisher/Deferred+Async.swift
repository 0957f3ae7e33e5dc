import Combine

extension Deferred {
  /// Makes a publisher that runs an async closure for each subscriber, and delivers what it returns.
  ///
  /// ```swift
  /// let page = Deferred { try await fetch(url) }
  /// let cancellable = page.retry(2).sink { print($0) } receiveValue: { show($0) }
  /// ```
  ///
  /// `Failure` is `Never` where the closure does not throw, the error that it names, or `any Error`. Each subscriber
  /// has work of its own, so `retry` runs the closure again and `share()` has one run serve several.
  ///
  /// - Demand: The closure runs with the subscriber's first request; the completion comes right after that.
  /// - Thread: The closure runs in a task of its own, outside any actor, and the subscriber is served there.
  /// - Cancellation: Cancels the task at once; nothing is delivered after it. A `CancellationError` that the closure
  ///   throws without having been cancelled is a failure like any other.
  /// - Parameters:
  ///   - priority: The priority of the task.
  ///   - operation: The closure.
  @inlinable
  @_disfavoredOverload  // A closure that makes a publisher without waiting is Combine's.
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
