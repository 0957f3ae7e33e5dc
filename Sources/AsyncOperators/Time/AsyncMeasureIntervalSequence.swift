extension AsyncSequence {
  /// Measures the time between the elements.
  ///
  /// See ``AsyncMeasureIntervalSequence``.
  ///
  /// - Parameter clock: The clock that measures it.
  @inlinable
  public func measureInterval<C: Clock>(using clock: C) -> AsyncMeasureIntervalSequence<Self, C> {
    AsyncMeasureIntervalSequence(self, clock)
  }
}

/// An asynchronous sequence of the time between the elements of another one.
///
/// `measureInterval(using:)` makes one.
///
/// ```swift
/// let beats = AsyncStream<Void> {
///   $0.yield(); $0.yield(); $0.finish()
/// }
/// for await interval in beats.measureInterval(using: .continuous) {
///   print(interval)
/// }
/// ```
///
/// The first element is the time from the first call of `next()` to the base's first element. The end and a failure are
/// those of the base. Nothing is taken from the base before the consumer calls `next()`, and there is no task.
///
/// - Cancellation: As the base does, whose `next()` runs in the consumer's task.
public struct AsyncMeasureIntervalSequence<Base: AsyncSequence, C: Clock>: AsyncSequence {
  /// The time between two elements.
  public typealias Element = C.Instant.Duration
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let clock: C

  @inlinable
  init(_ base: Base, _ clock: C) {
    self.base = base
    self.clock = clock
  }

  /// Makes an iterator of the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), clock)
  }

  /// Measures the time between the elements of the base.
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let clock: C
    /// When the last element came.
    @usableFromInline var last: C.Instant?

    @inlinable
    init(_ base: Base.AsyncIterator, _ clock: C) {
      self.base = FusedIterator(base)
      self.clock = clock
    }

    /// The time to the next element of the base, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      let begin = last ?? clock.now
      guard try await base.next(isolation: actor) != nil else { return nil }
      let now = clock.now
      last = now
      return begin.duration(to: now)
    }
  }
}

extension AsyncMeasureIntervalSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncMeasureIntervalSequence.Iterator: Sendable {}
