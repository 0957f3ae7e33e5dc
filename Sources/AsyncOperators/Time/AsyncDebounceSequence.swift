import InterflowPrimitives

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Delivers an element when none has followed it for a while.
  ///
  /// See ``AsyncDebounceSequence``.
  ///
  /// - Parameters:
  ///   - interval: How long no other element may follow.
  ///   - tolerance: How much later the element may be delivered; without one, as the clock decides.
  ///   - clock: The clock that measures it.
  @inlinable
  public func debounce<C: Clock>(
    for interval: C.Instant.Duration, tolerance: C.Instant.Duration? = nil, clock: C
  ) -> AsyncDebounceSequence<Self, C> {
    AsyncDebounceSequence(self, interval: interval, tolerance: tolerance, clock: clock)
  }

  /// Delivers an element when none has followed it for a while.
  ///
  /// See ``AsyncDebounceSequence``.
  ///
  /// - Parameters:
  ///   - interval: How long no other element may follow.
  ///   - tolerance: How much later the element may be delivered; without one, as the clock decides.
  @inlinable
  public func debounce(
    for interval: Duration, tolerance: Duration? = nil
  ) -> AsyncDebounceSequence<Self, ContinuousClock> {
    debounce(for: interval, tolerance: tolerance, clock: .continuous)
  }
}

/// An asynchronous sequence of those elements of another one that no other element follows for a while.
///
/// `debounce(for:tolerance:clock:)` makes one.
///
/// ```swift
/// let searches = AsyncStream<String> {
///   $0.yield("s"); $0.yield("swift"); $0.finish()
/// }
/// for await search in searches.debounce(for: .milliseconds(300)) {
///   print(search)
/// }
/// ```
///
/// The interval begins when the base delivers the element. If the base ends in it, the element is delivered at once, and
/// then the end. A failure is delivered at once, and an element in its interval is dropped.
///
/// While the consumer does not call `next()`, at most one element is taken from the base. What the base still holds follows
/// that one only when it is taken: a consumer that takes longer than the interval gets each of those. The base is iterated
/// in a task, which the first call of `next()` starts, and the clock sleeps in another one.
///
/// - Cancellation: Cancelling the task cancels the base and ends the iteration with `nil`. Releasing the iterator cancels
///   the base, too.
public struct AsyncDebounceSequence<Base: AsyncSequence & Sendable, C: Clock>: AsyncSequence, Sendable
where Base.Element: Sendable {
  /// The elements are those of the base.
  public typealias Element = Base.Element
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let interval: C.Instant.Duration
  @usableFromInline let tolerance: C.Instant.Duration?
  @usableFromInline let clock: C

  @inlinable
  init(_ base: Base, interval: C.Instant.Duration, tolerance: C.Instant.Duration?, clock: C) {
    self.base = base
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
    @usableFromInline let storage: DebounceStorage<Base.Element, C>
    @usableFromInline var joined: FanInConsumer<Failure>

    @inlinable
    init(_ sequence: AsyncDebounceSequence) {
      let storage = DebounceStorage<Base.Element, C>(sequence.clock, sequence.interval)
      // While the consumer waits, the input replaces the latest element by itself.
      let input = FanInInput<Never>(sequence.base) { _, element in storage.receive(element) ? .takeNext : .deliver }
      let timer = DeadlineSequence(storage.deadline, sequence.clock, tolerance: sequence.tolerance)
      joined = FanInConsumer(FanInRule(end: .first), [input, FanInInput(timer)])
      self.storage = storage
    }

    /// The next element that none has followed, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      guard !joined.isFinished else { return nil }
      if !Task.isCancelled, let element = storage.demand() {
        // The base goes on, as after the timer, so that the next element's interval begins when that comes. Before, it
        // has none that the timer could deliver.
        while let index = joined.takeArrived() {
          if index == 1 { _ = storage.timerEnded() }
        }
        joined.request()
        return element
      }
      // After a failure, so that a copy of this iterator gets nothing more.
      defer { if joined.isFinished { _ = storage.end() } }
      while let index = try await joined.next(isolation: actor) {
        // The base's element came before this call; the storage has kept it, and the base goes on.
        if index == 1, let element = storage.timerEnded() { return element }
      }
      let last = storage.end()
      return Task.isCancelled ? nil : last
    }
  }
}

@available(*, unavailable)
extension AsyncDebounceSequence.Iterator: Sendable {}
