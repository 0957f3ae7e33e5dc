import Combine

/// How the time before a retry grows; see
/// ``Combine/Publisher/retry(_:delay:backoff:jitter:on:options:when:)``.
public enum SchedulerBackoff<Stride: SchedulerTimeIntervalConvertible & Comparable & SignedNumeric> {
  /// The same time before each retry.
  case constant
  /// A time that grows by the first with each retry, to a limit.
  case linear(upTo: Stride)
  /// A time that doubles with each retry, to a limit.
  case exponential(upTo: Stride)

  /// The time before a retry, whose number begins at one.
  func delay(_ first: Stride, beforeRetry retry: Int) -> Stride {
    switch self {
    case .constant: return first
    case .linear(let limit): return grown(first, retry, limit) { _ in first }
    case .exponential(let limit): return grown(first, retry, limit) { $0 }
    }
  }

  private func grown(_ first: Stride, _ retry: Int, _ limit: Stride, _ growth: (Stride) -> Stride) -> Stride {
    var delay = first
    for _ in 1..<max(retry, 1) {
      if delay >= limit || delay <= .zero { break }
      // Compared before it grows, which could overflow.
      if growth(delay) > limit - delay { return limit }
      delay += growth(delay)
    }
    return min(delay, limit)
  }
}

extension SchedulerBackoff: Sendable where Stride: Sendable {}
