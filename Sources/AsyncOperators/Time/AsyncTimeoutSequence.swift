import InterflowPrimitives

/// The failure of a sequence that has not delivered an element in time.
public struct AsyncTimeoutError: Error, Hashable, Sendable {
  /// Makes the error.
  public init() {}
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Fails if the sequence does not deliver an element in time.
  ///
  /// See ``AsyncTimeoutSequence``.
  ///
  /// - Parameters:
  ///   - interval: How long a call of `next()` may take.
  ///   - tolerance: How much later it may fail; without one, as the clock decides.
  ///   - clock: The clock that measures it.
  @inlinable
  public func timeout<C: Clock>(
    for interval: C.Instant.Duration, tolerance: C.Instant.Duration? = nil, clock: C
  ) -> AsyncTimeoutSequence<Self, C, any Error> {
    AsyncTimeoutSequence(self, interval: interval, tolerance: tolerance, clock: clock) { AsyncTimeoutError() }
  }

  /// Fails if the sequence, which cannot fail otherwise, does not deliver an element in time.
  ///
  /// See ``AsyncTimeoutSequence``.
  ///
  /// - Parameters:
  ///   - interval: How long a call of `next()` may take.
  ///   - tolerance: How much later it may fail; without one, as the clock decides.
  ///   - clock: The clock that measures it.
  @inlinable
  public func timeout<C: Clock>(
    for interval: C.Instant.Duration, tolerance: C.Instant.Duration? = nil, clock: C
  ) -> AsyncTimeoutSequence<Self, C, AsyncTimeoutError> where Failure == Never {
    AsyncTimeoutSequence(self, interval: interval, tolerance: tolerance, clock: clock) { AsyncTimeoutError() }
  }

  /// Fails with an error of the sequence's own type if it does not deliver an element in time.
  ///
  /// See ``AsyncTimeoutSequence``.
  ///
  /// - Parameters:
  ///   - interval: How long a call of `next()` may take.
  ///   - tolerance: How much later it may fail; without one, as the clock decides.
  ///   - clock: The clock that measures it.
  ///   - customError: Makes the failure.
  @inlinable
  public func timeout<C: Clock>(
    for interval: C.Instant.Duration, tolerance: C.Instant.Duration? = nil, clock: C,
    customError: @escaping @Sendable () -> Failure
  ) -> AsyncTimeoutSequence<Self, C, Failure> {
    AsyncTimeoutSequence(self, interval: interval, tolerance: tolerance, clock: clock, customError: customError)
  }

  /// Fails if the sequence does not deliver an element in time, on the continuous clock.
  ///
  /// See ``AsyncTimeoutSequence``.
  ///
  /// - Parameters:
  ///   - interval: How long a call of `next()` may take.
  ///   - tolerance: How much later it may fail; without one, as the clock decides.
  @inlinable
  public func timeout(
    for interval: Duration, tolerance: Duration? = nil
  ) -> AsyncTimeoutSequence<Self, ContinuousClock, any Error> {
    timeout(for: interval, tolerance: tolerance, clock: .continuous)
  }

  /// Fails if the sequence, which cannot fail otherwise, does not deliver an element in time, on the continuous clock.
  ///
  /// See ``AsyncTimeoutSequence``.
  ///
  /// - Parameters:
  ///   - interval: How long a call of `next()` may take.
  ///   - tolerance: How much later it may fail; without one, as the clock decides.
  @inlinable
  public func timeout(
    for interval: Duration, tolerance: Duration? = nil
  ) -> AsyncTimeoutSequence<Self, ContinuousClock, AsyncTimeoutError> where Failure == Never {
    timeout(for: interval, tolerance: tolerance, clock: .continuous)
  }

  /// Fails with an error of the sequence's own type if it does not deliver an element in time, on the continuous clock.
  ///
  /// See ``AsyncTimeoutSequence``.
  ///
  /// - Parameters:
  ///   - interval: How long a call of `next()` may take.
  ///   - tolerance: How much later it may fail; without one, as the clock decides.
  ///   - customError: Makes the failure.
  @inlinable
  public func timeout(
    for interval: Duration, tolerance: Duration? = nil, customError: @escaping @Sendable () -> Failure
  ) -> AsyncTimeoutSequence<Self, ContinuousClock, Failure> {
    timeout(for: interval, tolerance: tolerance, clock: .continuous, customError: customError)
  }
}

/// An asynchronous sequence that fails if another one does not deliver an element in time.
///
/// `timeout(for:tolerance:clock:)` makes one.
///
/// ```swift
/// let replies = AsyncStream<String> {
///   $0.yield("pong"); $0.finish()
/// }
/// do {
///   for try await reply in replies.timeout(for: .seconds(5), clock: .continuous) {
///     print(reply)
///   }
/// } catch {
///   print("there was no reply: \(error)")
/// }
/// ```
///
/// The elements, the end and the failure of the base are delivered unchanged. The time counts while the consumer is
/// inside `next()`. When it is over, the base is cancelled.
///
/// No element is taken before the consumer calls `next()`. The base is iterated in a task, which the first call of
/// `next()` starts, and the clock sleeps in another one. An element that arrives before the consumer has seen the end of
/// the time is delivered.
///
/// - Cancellation: Cancelling the task cancels the base and ends the iteration with `nil`. Releasing the iterator cancels
///   the base, too.
public struct AsyncTimeoutSequence<Base: AsyncSequence & Sendable, C: Clock, Failure: Error>: AsyncSequence, Sendable
where Base.Element: Sendable {
  /// The elements are those of the base.
  public typealias Element = Base.Element

  @usableFromInline let base: Base
  @usableFromInline let interval: C.Instant.Duration
  @usableFromInline let tolerance: C.Instant.Duration?
  @usableFromInline let clock: C
  @usableFromInline let customError: @Sendable () -> Failure

  @inlinable
  init(
    _ base: Base, interval: C.Instant.Duration, tolerance: C.Instant.Duration?, clock: C,
    customError: @escaping @Sendable () -> Failure
  ) {
    self.base = base
    self.interval = interval
    self.tolerance = tolerance
    self.clock = clock
    self.customError = customError
  }

  /// Makes an iterator, and with it that of the base. Its task starts with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public struct Iterator: _IsolatedIterator {
    @usableFromInline let interval: C.Instant.Duration
    @usableFromInline let clock: C
    @usableFromInline let customError: @Sendable () -> Failure
    /// Nil after the end, so that what has not been delivered is released.
    @usableFromInline var input: FanInInput<Base.Element>?
    @usableFromInline let deadline = Deadline<C>()
    @usableFromInline var joined: FanInConsumer<Failure>

    @inlinable
    init(_ sequence: AsyncTimeoutSequence) {
      interval = sequence.interval
      clock = sequence.clock
      customError = sequence.customError
      let input = FanInInput(sequence.base)
      self.input = input
      let timer = DeadlineSequence(deadline, sequence.clock, tolerance: sequence.tolerance)
      joined = FanInConsumer(FanInRule(end: .first), [input, FanInInput(timer)])
    }

    /// The next element of the base, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      guard !joined.isFinished else { return nil }
      defer { if joined.isFinished { input = nil } }
      let due = clock.now.saturatingAdvanced(by: interval)
      // One timer for all calls: where it is too early for this one, it is set again.
      if !deadline.isSet { deadline.set(due) }
      deadline.isSet = true
      while let index = try await joined.next(isolation: actor) {
        if index == 0 { return input?.take() }
        if clock.now < due, !deadline.isOverdue {
          deadline.set(due)
          continue
        }
        // What has arrived behind the end of the time counts: the consumer has been kept from seeing either.
        deadline.isSet = false
        guard joined.hasArrived else {
          joined.finish()
          throw customError()
        }
      }
      return nil
    }
  }
}

@available(*, unavailable)
extension AsyncTimeoutSequence.Iterator: Sendable {}
