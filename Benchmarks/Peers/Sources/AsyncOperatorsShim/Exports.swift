// The module is called `AsyncOperators`, so that the scenarios' sources are those that measure this package.
@_exported import AsyncAlgorithms

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// The operator's name there has an underscore.
  public func throttle(for interval: Duration) -> AsyncThrottleSequence<Self, ContinuousClock, Element> {
    _throttle(for: interval)
  }
}
