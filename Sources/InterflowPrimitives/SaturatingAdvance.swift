extension InstantProtocol {
  /// The instant after an interval. An interval that means "never", which a clock's arithmetic or its sleep cannot hold,
  /// counts as 136 years.
  @inlinable
  package func saturatingAdvanced(by interval: Duration) -> Self {
    guard let duration = interval as? Swift.Duration,
      let limited = min(duration, .seconds(1 << 32)) as? Duration
    else { return advanced(by: interval) }
    return advanced(by: limited)
  }
}
