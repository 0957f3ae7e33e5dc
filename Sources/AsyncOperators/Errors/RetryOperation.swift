import InterflowPrimitives

/// Calls a closure until it returns, for a number of times, with a time to wait before each retry.
///
/// ```swift
/// let backoff = RetryBackoff.exponential(from: Duration.milliseconds(100), upTo: .seconds(10)).jittered()
/// let picture = try await retry(5, backoff: backoff, clock: ContinuousClock()) {
///   try await download()
/// }
/// ```
///
/// It throws the error of the last try. To throw a typed error, the closure states it: `{ () async throws(MyError) in … }`.
///
/// The closure runs in the caller's task, on the caller's isolation, one try after the other.
///
/// - Cancellation: After the task has been cancelled there is no retry: the error of the last try is thrown. While the time
///   before a retry is being waited for, that is when the clock's sleep returns, which is at once with the clocks of
///   the standard library. A try that runs is cancelled with the task, and ends as the closure does.
/// - Parameters:
///   - retries: How many times at most after the first try; `.max` for no limit.
///   - backoff: How long to wait before each.
///   - tolerance: How much longer; without one, as the clock decides.
///   - clock: The clock that measures it.
///   - operation: The closure.
@inlinable
public nonisolated(nonsending) func retry<Output, Failure: Error, C: Clock>(
  _ retries: Int, backoff: RetryBackoff<C.Instant.Duration>, tolerance: C.Instant.Duration? = nil, clock: C,
  operation: nonisolated(nonsending) () async throws(Failure) -> Output
) async throws(Failure) -> Output {
  precondition(retries >= 0, "the number of retries must not be negative, but was \(retries)")
  var failures = 0
  while true {
    do throws(Failure) {
      return try await operation()
    } catch {
      if failures >= retries || Task.isCancelled { throw error }
      failures += 1
      let due = clock.now.saturatingAdvanced(by: backoff.delay(beforeRetry: failures))
      // A clock need not throw when the task is cancelled.
      guard (try? await clock.sleep(until: due, tolerance: tolerance)) != nil, !Task.isCancelled else { throw error }
    }
  }
}

/// Calls a closure until it returns, for a number of times, with a time of the continuous clock before each retry.
///
/// ```swift
/// let picture = try await retry(5, backoff: .constant(.seconds(1))) {
///   try await download()
/// }
/// ```
///
/// See ``retry(_:backoff:tolerance:clock:operation:)``.
///
/// - Parameters:
///   - retries: How many times at most after the first try; `.max` for no limit.
///   - backoff: How long to wait before each; without one, no time.
///   - operation: The closure.
@inlinable
public nonisolated(nonsending) func retry<Output, Failure: Error>(
  _ retries: Int, backoff: RetryBackoff<Duration> = .constant(.zero),
  operation: nonisolated(nonsending) () async throws(Failure) -> Output
) async throws(Failure) -> Output {
  try await retry(retries, backoff: backoff, clock: ContinuousClock(), operation: operation)
}
