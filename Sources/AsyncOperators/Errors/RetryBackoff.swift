/// How long to wait before each retry.
///
/// ```swift
/// let backoff = RetryBackoff.exponential(from: Duration.milliseconds(100), upTo: .seconds(10)).jittered()
/// ```
public struct RetryBackoff<Duration: DurationProtocol>: Sendable {
  private let delayOf: @Sendable (Int) -> Duration

  /// Makes a backoff of a closure.
  ///
  /// - Parameter delay: Returns how long to wait before a retry, whose number it gets; the first has the number one.
  public init(_ delay: @escaping @Sendable (Int) -> Duration) {
    delayOf = delay
  }

  /// The same time before each retry.
  public static func constant(_ delay: Duration) -> RetryBackoff {
    RetryBackoff { _ in delay }
  }

  /// A time that grows by the same amount with each retry.
  ///
  /// - Parameters:
  ///   - step: The time before the first retry, and what is added for each that follows.
  ///   - limit: The longest time.
  public static func linear(by step: Duration, upTo limit: Duration) -> RetryBackoff {
    RetryBackoff { retry in
      // Compared before it is multiplied, which could overflow.
      step > .zero && Double(retry) >= limit / step ? limit : min(step * max(retry, 1), limit)
    }
  }

  /// A time that is multiplied with each retry.
  ///
  /// - Parameters:
  ///   - first: The time before the first retry.
  ///   - factor: What the time is multiplied with for each that follows; at least one.
  ///   - limit: The longest time.
  public static func exponential(from first: Duration, factor: Int = 2, upTo limit: Duration) -> RetryBackoff {
    precondition(factor >= 1, "the factor of a backoff must be at least 1, but was \(factor)")
    return RetryBackoff { retry in
      var delay = first
      for _ in 1..<max(retry, 1) {
        if delay <= .zero || factor == 1 { break }
        if delay > limit / factor { return limit }
        delay *= factor
      }
      return min(delay, limit)
    }
  }

  /// The same times, each shortened by a random part, so that many clients do not retry at the same moment.
  ///
  /// - Parameter part: How much of a time is random, from zero to one; all of it by default.
  public func jittered(_ part: Double = 1) -> RetryBackoff {
    precondition((0...1).contains(part), "the random part of a backoff must be in 0...1, but was \(part)")
    let resolution = 1 << 10
    let random = Int((Double(resolution) * part).rounded())
    return RetryBackoff { [delayOf] retry in
      let delay = delayOf(retry)
      let count = Int.random(in: 0...random)
      // A whole multiple of the resolution, and less than that: neither product can overflow, and nothing is lost where
      // durations are whole numbers.
      let step = delay / resolution
      let rest = delay - step * resolution
      return delay - step * count - rest * count / resolution
    }
  }

  /// The time before a retry.
  ///
  /// - Parameter retry: The number of the retry; the first has the number one.
  public func delay(beforeRetry retry: Int) -> Duration {
    delayOf(retry)
  }
}
