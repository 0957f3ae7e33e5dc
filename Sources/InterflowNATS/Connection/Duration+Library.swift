import Dispatch

/// Durations as the library and the queues take them. What is too long for them is their longest.
extension Duration {
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return Self.sum(of: seconds, times: 1_000_000_000, and: attoseconds / 1_000_000_000)
  }

  /// At least one, since the library takes none for zero.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return max(1, Self.sum(of: seconds, times: 1_000, and: attoseconds / 1_000_000_000_000_000))
  }

  var dispatchInterval: DispatchTimeInterval { .nanoseconds(Int(clamping: nanoseconds)) }

  private static func sum(of seconds: Int64, times factor: Int64, and rest: Int64) -> Int64 {
    let limit: Int64 = seconds < 0 ? .min : .max
    let (product, overflows) = seconds.multipliedReportingOverflow(by: factor)
    if overflows { return limit }
    let (sum, sumOverflows) = product.addingReportingOverflow(rest)
    return sumOverflows ? limit : sum
  }
}
