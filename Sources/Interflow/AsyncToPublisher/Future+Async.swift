import Combine
import InterflowPrimitives

extension Future where Output: Sendable {
  /// Makes a future of what an async closure returns, or of the error that it throws.
  ///
  /// ```swift
  /// let answer = Future { await ask() }
  /// let page = Future { try await fetch(url) }
  /// let row = Future { () async throws(QueryError) in try await query() }
  /// ```
  ///
  /// `Failure` is `Never` if the closure does not throw; otherwise, the type of error that it states, or `any Error`.
  ///
  /// Like every future, this one starts its work once, when it is made, and stores the result for later subscribers. So
  /// no cancellation stops the work, not even the last subscriber's: the next subscriber receives the same result. For
  /// work that starts with the first request of each subscriber, and that the subscriber can cancel, use a `Deferred`
  /// with an async closure; `Deferred { … }.share()` shares it.
  ///
  /// - Demand: The value is delivered when the subscriber has requested it, and the completion follows at once. A
  ///   failure needs no demand.
  /// - Thread: The closure runs in a task of its own, outside any actor, and the result is delivered there.
  /// - Cancellation: Cancels the subscription, not the work.
  /// - Parameters:
  ///   - priority: The priority of the task.
  ///   - operation: The closure.
  public convenience init(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws(Failure) -> Output
  ) {
    self.init { promise in
      // Safe to transfer: only the task calls it, once. The type of Apple's promise is not `Sendable`.
      let promise = UncheckedTransfer(promise)
      _ = startTask(priority: priority) {
        do throws(Failure) {
          promise.value(.success(try await operation()))
        } catch {
          promise.value(.failure(error))
        }
      }
    }
  }
}
