import InterflowPrimitives

extension AsyncSequence {
  /// Delivers at most one element in an interval, made of all that the base delivered in it.
  ///
  /// See ``AsyncThrottleSequence``.
  ///
  /// - Parameters:
  ///   - interval: The shortest time between two elements.
  ///   - clock: The clock that measures it.
  ///   - reducing: Makes an element of the one made so far in the interval, `nil` in its beginning, and the next.
  @inlinable
  public func throttle<C: Clock, Reduced>(
    for interval: C.Instant.Duration, clock: C,
    reducing: nonisolated(nonsending) @escaping @Sendable (Reduced?, Element) async -> Reduced
  ) -> AsyncThrottleSequence<Self, C, Reduced> {
    AsyncThrottleSequence(self, interval: interval, clock: clock, reducing: .suspending(reducing))
  }

  /// Delivers at most one element in an interval, made of all that the base delivered in it.
  ///
  /// See ``AsyncThrottleSequence``.
  ///
  /// - Parameters:
  ///   - interval: The shortest time between two elements.
  ///   - reducing: Makes an element of the one made so far in the interval, `nil` in its beginning, and the next.
  @inlinable
  public func throttle<Reduced>(
    for interval: Duration, reducing: nonisolated(nonsending) @escaping @Sendable (Reduced?, Element) async -> Reduced
  ) -> AsyncThrottleSequence<Self, ContinuousClock, Reduced> {
    throttle(for: interval, clock: .continuous, reducing: reducing)
  }

  /// Delivers at most one element in an interval: the latest or the earliest that the base delivered in it.
  ///
  /// See ``AsyncThrottleSequence``.
  ///
  /// - Parameters:
  ///   - interval: The shortest time between two elements.
  ///   - clock: The clock that measures it.
  ///   - latest: Whether the latest element is delivered; otherwise, the earliest is.
  @inlinable
  public func throttle<C: Clock>(
    for interval: C.Instant.Duration, clock: C, latest: Bool = true
  ) -> AsyncThrottleSequence<Self, C, Element> {
    AsyncThrottleSequence(
      self, interval: interval, clock: clock, reducing: .immediate { latest ? $1 : $0 ?? $1 })
  }

  /// Delivers at most one element in an interval: the latest or the earliest that the base delivered in it.
  ///
  /// See ``AsyncThrottleSequence``.
  ///
  /// - Parameters:
  ///   - interval: The shortest time between two elements.
  ///   - latest: Whether the latest element is delivered; otherwise, the earliest is.
  @inlinable
  public func throttle(
    for interval: Duration, latest: Bool = true
  ) -> AsyncThrottleSequence<Self, ContinuousClock, Element> {
    throttle(for: interval, clock: .continuous, latest: latest)
  }
}

/// An asynchronous sequence of at most one element in an interval.
///
/// `throttle(for:clock:latest:)` and `throttle(for:clock:reducing:)` make one.
///
/// ```swift
/// let positions = AsyncStream<Int> {
///   $0.yield(1); $0.yield(2); $0.finish()
/// }
/// for await position in positions.throttle(for: .milliseconds(100)) {
///   print(position)
/// }
/// ```
///
/// The first element of the base is delivered at once. The following ones are reduced to one until the base delivers an
/// element at least an interval after the last delivery; that is the last of them. No timer runs: an element is delivered
/// when the base delivers the one that completes it. When the base ends, what has been reduced since the last delivery
/// is delivered, as soon as the interval is over. A failure of the base is delivered at once, without it.
///
/// Nothing is taken from the base before the consumer calls `next()`, and there is no task.
///
/// - Cancellation: As the base does, whose `next()` runs in the consumer's task. A wait for the end of the interval ends
///   with `nil` when the clock's sleep returns, which is at once with the clocks of the standard library.
public struct AsyncThrottleSequence<Base: AsyncSequence, C: Clock, Reduced>: AsyncSequence {
  /// What the elements are reduced to.
  public typealias Element = Reduced
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let interval: C.Instant.Duration
  @usableFromInline let clock: C
  @usableFromInline let reducing: Combination<Reduced, Base.Element>

  @inlinable
  init(_ base: Base, interval: C.Instant.Duration, clock: C, reducing: Combination<Reduced, Base.Element>) {
    self.base = base
    self.interval = interval
    self.clock = clock
    self.reducing = reducing
  }

  /// Makes an iterator of the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), interval: interval, clock: clock, reducing: reducing)
  }

  /// Reduces the elements.
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let interval: C.Instant.Duration
    @usableFromInline let clock: C
    @usableFromInline let reducing: Combination<Reduced, Base.Element>
    /// When the last element was delivered.
    @usableFromInline var last: C.Instant?

    @inlinable
    init(
      _ base: Base.AsyncIterator, interval: C.Instant.Duration, clock: C, reducing: Combination<Reduced, Base.Element>
    ) {
      self.base = FusedIterator(base)
      self.interval = interval
      self.clock = clock
      self.reducing = reducing
    }

    /// The next element, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Reduced? {
      if base.isFinished { return nil }
      var reduced: Reduced?
      while let element = try await base.next(isolation: actor) {
        let reduction = await reducing(reduced, element, isolation: actor)
        let now = clock.now
        guard let last, last.duration(to: now) < interval else {
          last = now
          return reduction
        }
        reduced = reduction
      }
      if reduced != nil, let last {
        let end = last.saturatingAdvanced(by: interval)
        if clock.now < end { try? await clock.sleep(until: end, tolerance: nil) }
        if Task.isCancelled { return nil }
      }
      return reduced
    }
  }
}

extension AsyncThrottleSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncThrottleSequence.Iterator: Sendable {}
