// The names that swift-async-algorithms gave `throttle` at first, and still has.

/// The former name of ``AsyncThrottleSequence``.
@available(*, deprecated, renamed: "AsyncThrottleSequence")
public typealias _AsyncThrottleSequence<Base: AsyncSequence, C: Clock, Reduced> = AsyncThrottleSequence<
  Base, C, Reduced
>

extension AsyncSequence {
  /// The former name of `throttle(for:clock:reducing:)`.
  @available(*, deprecated, renamed: "throttle(for:clock:reducing:)")
  @inlinable
  public func _throttle<C: Clock, Reduced>(
    for interval: C.Instant.Duration, clock: C,
    reducing: nonisolated(nonsending) @escaping @Sendable (Reduced?, Element) async -> Reduced
  ) -> AsyncThrottleSequence<Self, C, Reduced> {
    throttle(for: interval, clock: clock, reducing: reducing)
  }

  /// The former name of `throttle(for:reducing:)`.
  @available(*, deprecated, renamed: "throttle(for:reducing:)")
  @inlinable
  public func _throttle<Reduced>(
    for interval: Duration, reducing: nonisolated(nonsending) @escaping @Sendable (Reduced?, Element) async -> Reduced
  ) -> AsyncThrottleSequence<Self, ContinuousClock, Reduced> {
    throttle(for: interval, reducing: reducing)
  }

  /// The former name of `throttle(for:clock:latest:)`.
  @available(*, deprecated, renamed: "throttle(for:clock:latest:)")
  @inlinable
  public func _throttle<C: Clock>(
    for interval: C.Instant.Duration, clock: C, latest: Bool = true
  ) -> AsyncThrottleSequence<Self, C, Element> {
    throttle(for: interval, clock: clock, latest: latest)
  }

  /// The former name of `throttle(for:latest:)`.
  @available(*, deprecated, renamed: "throttle(for:latest:)")
  @inlinable
  public func _throttle(
    for interval: Duration, latest: Bool = true
  ) -> AsyncThrottleSequence<Self, ContinuousClock, Element> {
    throttle(for: interval, latest: latest)
  }
}
