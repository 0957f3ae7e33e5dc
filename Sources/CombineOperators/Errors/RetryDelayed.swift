import Combine

extension Publisher {
  /// Subscribes to this publisher again after a failure, for a number of times, with a time to wait before each.
  ///
  /// ```swift
  /// let quotes = connection.retry(
  ///   5, delay: .milliseconds(100), backoff: .exponential(upTo: .seconds(10)), jitter: 0.5, on: DispatchQueue.main)
  /// ```
  ///
  /// The stream fails with the failure of the last try. Values that have been delivered are not taken back.
  ///
  /// - Demand: What has been requested and not delivered is requested from the next subscription.
  /// - Cancellation: Ends the wait.
  /// - Parameters:
  ///   - retries: How many times at most; `.max` for no limit.
  ///   - delay: The time before the first retry.
  ///   - backoff: How the time grows.
  ///   - jitter: How much of a time is random, from zero to one, so that many clients do not retry at the same moment.
  ///   - scheduler: Measures the time, and subscribes again.
  ///   - options: Options passed to the scheduler.
  ///   - shouldRetry: Whether a failure is worth a retry.
  public func retry<S: Scheduler>(
    _ retries: Int, delay: S.SchedulerTimeType.Stride,
    backoff: SchedulerBackoff<S.SchedulerTimeType.Stride> = .constant, jitter: Double = 0, on scheduler: S,
    options: S.SchedulerOptions? = nil, when shouldRetry: @escaping (Failure) -> Bool = { _ in true }
  ) -> AnyPublisher<Output, Failure> {
    precondition(retries >= 0, "the number of retries must not be negative, but was \(retries)")
    precondition((0...1).contains(jitter), "the random part of a delay must be in 0...1, but was \(jitter)")
    return retryWhen { failures in
      failures.setFailureType(to: Failure.self).enumerated(initial: 1)
        .flatMap { retry, failure -> AnyPublisher<Void, Failure> in
          guard retry <= retries, shouldRetry(failure) else { return Fail(error: failure).eraseToAnyPublisher() }
          let delay = jittered(backoff.delay(delay, beforeRetry: retry), by: jitter)
          return Just(()).setFailureType(to: Failure.self)
            .delay(for: delay, scheduler: scheduler, options: options).eraseToAnyPublisher()
        }
    }
    .eraseToAnyPublisher()
  }
}

/// A time without a random part of it. A scheduler's times can be halved only by their seconds, which few have, so this
/// adds up random ones of the halves, quarters and so on that nanoseconds make.
private func jittered<Stride: SchedulerTimeIntervalConvertible & Comparable & SignedNumeric>(
  _ delay: Stride, by part: Double
) -> Stride {
  guard part > 0 else { return delay }
  // The longest time of nanoseconds that is not longer than the delay, by doubling.
  var step = 1
  while step < 1 << 60, Stride.nanoseconds(step) + .nanoseconds(step) <= delay { step *= 2 }
  var nanoseconds = 0
  while step > 0 {
    if Stride.nanoseconds(nanoseconds + step) <= delay { nanoseconds += step }
    step /= 2
  }
  return delay - .nanoseconds(Int(Double(nanoseconds) * part * Double.random(in: 0...1)))
}
