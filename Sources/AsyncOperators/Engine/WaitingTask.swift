/// The place of a task that waits, in a type whose lock guards it.
@frozen
@usableFromInline
struct WaitingTask {
  @usableFromInline typealias Continuation = UnsafeContinuation<Void, Never>

  @usableFromInline var continuation: Continuation?

  @inlinable
  init() {}

  /// Keeps a task waiting, unless it can go on.
  ///
  /// - Returns: The task's continuation if it can go on, for the caller to resume without the lock.
  @inlinable
  mutating func park(_ continuation: Continuation, unless canGoOn: Bool) -> Continuation? {
    if canGoOn { return continuation }
    precondition(self.continuation == nil, "next() was called while another call of it waits")
    self.continuation = continuation
    return nil
  }

  /// Takes the continuation of the task out, for the caller to resume without the lock.
  @inlinable
  mutating func take() -> Continuation? {
    continuation.take()
  }
}

/// Suspends a consumer until it is resumed, on its isolation.
///
/// - Parameters:
///   - onCancel: Called when the consumer's task is cancelled, for what it waits for is not a child of that task. It
///     resumes the consumer.
///   - suspend: Keeps the continuation, or resumes it.
@usableFromInline
func waitForConsumer(
  isolation: isolated (any Actor)?, onCancel: @Sendable () -> Void, _ suspend: (WaitingTask.Continuation) -> Void
) async {
  await withTaskCancellationHandler(
    operation: { await withUnsafeContinuation(isolation: isolation, suspend) }, onCancel: onCancel,
    isolation: isolation)
}
