import Combine

extension Publisher {
  /// Delivers the values of a span of time, which begins with the subscription, and then finishes.
  ///
  /// ```swift
  /// let clicks = taps.prefix(duration: .seconds(3), on: DispatchQueue.main)
  /// ```
  ///
  /// - Demand: Is requested from this publisher.
  /// - Parameters:
  ///   - duration: How long.
  ///   - tolerance: How much later the end may be.
  ///   - scheduler: Measures the time. The completion is delivered on it, unless a value is being delivered then: it
  ///     follows that value on its thread. Values, and this publisher's own completion, are delivered where they are sent.
  ///   - options: Options passed to the scheduler.
  public func prefix<S: Scheduler>(
    duration: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, on scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> AnyPublisher<Output, Failure> {
    prefix(
      untilOutputFrom: Just(()).delay(for: duration, tolerance: tolerance, scheduler: scheduler, options: options)
    )
    .eraseToAnyPublisher()
  }
}
