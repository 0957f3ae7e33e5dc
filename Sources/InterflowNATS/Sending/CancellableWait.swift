import InterflowPrimitives

/// A task that waits for a result, or until it is cancelled, whichever comes first.
///
/// The result is under the lock, and not in the continuation: ThreadSanitizer sees that the lock orders what was done
/// before the end and what the task does after it. It does not where a continuation is resumed before its task has
/// suspended.
///
/// `@unchecked Sendable`: `lock` guards `state`.
final class CancellableWait<Success: Sendable>: @unchecked Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Void, Never>)
    case over(Result<Success, any Error>)
  }

  private let lock = Lock()
  private var state = State.idle

  var isOver: Bool { result != nil }

  private var result: Result<Success, any Error>? {
    lock.lock()
    defer { lock.unlock() }
    if case .over(let result) = state { return result }
    return nil
  }

  /// Waits for the end. To be called once.
  func value() async throws -> Success {
    await withCheckedContinuation { continuation in
      lock.lock()
      var isWaiting = false
      if case .idle = state {
        state = .waiting(continuation)
        isWaiting = true
      }
      lock.unlock()
      if !isWaiting { continuation.resume() }
    }
    guard let result else { preconditionFailure("a task waits for one result, and two tasks wait for this one") }
    return try result.get()
  }

  func end(_ result: Result<Success, any Error>) {
    lock.lock()
    let before = state
    if case .over = before {} else { state = .over(result) }
    lock.unlock()
    if case .waiting(let continuation) = before { continuation.resume() }
  }
}

/// Waits for what a closure passes on, from any thread, once.
///
/// Like `withCheckedContinuation`, with the result where ThreadSanitizer sees it; see ``CancellableWait``.
func waitForResult<Success: Sendable>(
  _ body: (@escaping @Sendable (Success) -> Void) -> Void
) async -> Success {
  let wait = CancellableWait<Success>()
  body { wait.end(.success($0)) }
  return await wait.success()
}

extension CancellableWait {
  /// Waits for the end, which is a success. To be called once.
  func success() async -> Success {
    do {
      return try await value()
    } catch {
      preconditionFailure("nothing ends the wait with an error, but it ended with \(error)")
    }
  }
}
