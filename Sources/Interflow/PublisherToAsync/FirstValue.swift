import Combine
import InterflowPrimitives

extension Publisher {
  /// Waits for the publisher's first value, and then cancels the subscription.
  ///
  /// ```swift
  /// let value = await [1, 2, 3].publisher.firstValue()  // 1
  /// ```
  ///
  /// - Demand: Requests one value.
  /// - Cancellation: Cancelling the task cancels the subscription at once and returns `nil`, unless a value has arrived
  ///   first.
  /// - Returns: The value; `nil` if the publisher finished without one.
  /// - Throws: The publisher's failure, if it fails before a value.
  @inlinable
  public nonisolated(nonsending) func firstValue() async throws(Failure) -> Output? {
    let iteration = AsyncInboxIteration(self, prefetch: 1)
    // Explicitly, since the optimiser may delay the iteration's `deinit`.
    defer { iteration.inbox.cancel() }
    return try await iteration.inbox.next(isolation: #isolation)
  }
}
