import InterflowPrimitives

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Delivers everything later by an interval.
  ///
  /// See ``AsyncDelaySequence``.
  ///
  /// - Parameters:
  ///   - interval: How much later.
  ///   - tolerance: How much later than that; without one, as the clock decides.
  ///   - clock: The clock that measures it.
  ///   - limit: How many elements are buffered at most while they are delayed; the base waits if there are more.
  @inlinable
  public func delay<C: Clock>(
    for interval: C.Instant.Duration, tolerance: C.Instant.Duration? = nil, clock: C,
    limit: Int = 64
  ) -> AsyncDelaySequence<Self, C> {
    AsyncDelaySequence(self, interval: interval, tolerance: tolerance, clock: clock, limit: limit)
  }

  /// Delivers everything later by an interval of the continuous clock.
  ///
  /// See ``AsyncDelaySequence``.
  ///
  /// - Parameters:
  ///   - interval: How much later.
  ///   - tolerance: How much later than that; without one, as the clock decides.
  ///   - limit: How many elements are buffered at most while they are delayed; the base waits if there are more.
  @inlinable
  public func delay(
    for interval: Duration, tolerance: Duration? = nil, limit: Int = 64
  ) -> AsyncDelaySequence<Self, ContinuousClock> {
    delay(for: interval, tolerance: tolerance, clock: .continuous, limit: limit)
  }
}

/// An asynchronous sequence that delivers the elements of another one later by an interval.
///
/// `delay(for:tolerance:clock:limit:)` makes one.
///
/// ```swift
/// let lines = AsyncStream<String> {
///   $0.yield("a"); $0.finish()
/// }
/// for await line in lines.delay(for: .seconds(1), clock: .continuous) {
///   print(line)
/// }
/// ```
///
/// The interval begins when the base delivers the element, so the time between two elements is kept. The end and a
/// failure are delayed, too. An element that is due already when the consumer calls `next()` is delivered at once.
///
/// The base is iterated in a task, which the first call of `next()` starts. It runs ahead by as many elements as the
/// limit says: a base that delivers more of them in an interval has to wait.
///
/// - Cancellation: Cancelling the task cancels the base, drops the buffered elements, and ends the iteration with `nil`
///   when the clock's sleep returns, which is at once with the clocks of the standard library. Releasing the iterator
///   cancels the base, too.
public struct AsyncDelaySequence<Base: AsyncSequence & Sendable, C: Clock>: AsyncSequence, Sendable
where Base.Element: Sendable {
  /// The elements are those of the base.
  public typealias Element = Base.Element
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let events: AsyncBufferSequence<StampedEvents<Base, C>>
  @usableFromInline let interval: C.Instant.Duration
  @usableFromInline let tolerance: C.Instant.Duration?
  @usableFromInline let clock: C

  @inlinable
  init(
    _ base: Base, interval: C.Instant.Duration, tolerance: C.Instant.Duration?, clock: C,
    limit: Int
  ) {
    events = StampedEvents(base, clock).buffer(policy: .bounded(limit))
    self.interval = interval
    self.tolerance = tolerance
    self.clock = clock
  }

  /// Makes an iterator, and with it that of the base. Its task starts with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public struct Iterator: _IsolatedIterator {
    /// Nil after the end.
    @usableFromInline var events: AsyncBufferSequence<StampedEvents<Base, C>>.Iterator?
    @usableFromInline let interval: C.Instant.Duration
    @usableFromInline let tolerance: C.Instant.Duration?
    @usableFromInline let clock: C

    @inlinable
    init(_ sequence: AsyncDelaySequence) {
      events = sequence.events.makeAsyncIterator()
      interval = sequence.interval
      tolerance = sequence.tolerance
      clock = sequence.clock
    }

    /// The next element, when it is due, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      if Task.isCancelled { events = nil }
      guard let (event, instant) = await events?.next(isolation: actor) else {
        events = nil
        return nil
      }
      let due = instant.saturatingAdvanced(by: interval)
      if clock.now < due, let cancelEvents = events?.canceller {
        await withTaskCancellationHandler(
          operation: { try? await clock.sleep(until: due, tolerance: tolerance) },
          onCancel: cancelEvents,
          isolation: actor)
      }
      if Task.isCancelled {
        events = nil
        return nil
      }
      switch event {
      case .element(let element):
        return element
      case .failure(let failure):
        events = nil
        throw failure
      case .end:
        events = nil
        return nil
      }
    }
  }
}

@available(*, unavailable)
extension AsyncDelaySequence.Iterator: Sendable {}
