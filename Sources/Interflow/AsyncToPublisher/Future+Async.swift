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
  /// `Failure` is `Never` where the closure does not throw, the error that it names, or `any Error`.
  ///
  /// Like every future, this one begins its work when it is made, once, however many subscribers there are, and keeps
  /// the result for those who come later. So nobody's cancellation ends the work, not even that of the last subscriber:
  /// the next one gets the same result. Work that begins with the first request, anew for each subscriber, and is
  /// cancelled with the subscription, is a `Deferred` with an async closure; `Deferred { … }.share()` shares it.
  ///
  /// - Demand: The value waits for a subscriber's demand; the completion comes right after it, a failure without
  ///   demand.
  /// - Thread: The closure runs in a task of its own, outside any actor, and subscribers are served there.
  /// - Cancellation: Ends a subscription, not the work.
  /// - Parameters:
  ///   - priority: The priority of the task.
  ///   - operation: The closure.
  public convenience init(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws(Failure) -> Output
  ) {
    self.init { promise in
      // Safe to hand over: it is called once, by the task. Apple's promise does not say that it is `Sendable`.
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
