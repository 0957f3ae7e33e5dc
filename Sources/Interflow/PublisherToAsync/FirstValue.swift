import Combine
import InterflowPrimitives

extension Publisher {
  /// Waits for the publisher's first value, and cancels the subscription when it has come.
  ///
  /// ```swift
  /// let value = await [1, 2, 3].publisher.firstValue()  // 1
  /// ```
  ///
  /// - Demand: one value.
  /// - Cancellation: cancelling the task cancels the subscription at once and gives `nil`.
  /// - Returns: The value; `nil` where the publisher finished without one.
  /// - Throws: The publisher's failure, where it comes first.
  @inlinable
  public nonisolated(nonsending) func firstValue() async throws(Failure) -> Output? {
    let iteration = AsyncInboxIteration(self, prefetch: 1)
    // Here and not by the end of the iteration's life, which the optimiser may put off.
    defer { iteration.inbox.cancel() }
    return try await iteration.inbox.next(isolation: #isolation)
  }
}
