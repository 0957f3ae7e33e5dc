/// What a caller waits for, and a call ends.
typealias CallWait<Success: Sendable> = CancellableWait<Result<Success, NATSError>>

/// Waits for what ends a call, and no longer than its time, or until the task is cancelled: then the call goes on without
/// its caller.
///
/// - Parameters:
///   - limit: When to end with ``NATSError/Kind/timeout``; `nil` for never.
///   - operation: What is being done.
///   - begin: Begins the call, without waiting for it.
func waitForCall<Success: Sendable>(
  within limit: Duration?, while operation: String, _ begin: (CallWait<Success>) -> Void
) async throws(NATSError) -> Success {
  let wait = CallWait<Success>()
  let deadline = limit.map {
    Deadlines.shared.add(after: $0) { wait.end(.success(.failure(.timeout(while: operation)))) }
  }
  let result = await withTaskCancellationHandler {
    begin(wait)
    return await wait.success()
  } onCancel: {
    wait.end(.success(.failure(.cancelled(while: operation))))
  }
  if let deadline { Deadlines.shared.remove(deadline) }
  return try result.get()
}

extension NATSError {
  /// The error of a call whose time is over.
  static func timeout(while operation: String) -> NATSError {
    NATSError(
      kind: .timeout, operation: operation,
      message: "no answer came in time; what was to be done may be done nonetheless", status: Self.timeoutStatus)
  }

  /// The error of a call whose task was cancelled.
  static func cancelled(while operation: String) -> NATSError {
    NATSError(
      kind: .cancelled, operation: operation,
      message: "the task was cancelled; what was to be done may be done nonetheless")
  }
}
