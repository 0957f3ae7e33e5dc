/// The instants at which a clock has gone on by another interval.
///
/// ```swift
/// for await _ in AsyncTimerSequence(interval: .seconds(1), clock: .continuous).prefix(3) {
///   print("tick")
/// }
/// ```
///
/// Each tick is due a whole number of intervals after the first call of `next()`, however late the ticks were and
/// however long they took to handle: the timer does not drift. Ticks that fall due while nobody waits are skipped, and
/// the next one comes when it is due: there are no bursts. A tick is delivered as the instant at which it came.
///
/// - Cancellation: Cancelling the task ends the iteration with `nil`; so does a clock that fails.
public struct AsyncTimerSequence<C: Clock>: AsyncSequence {
  /// An instant of the clock.
  public typealias Element = C.Instant
  /// A timer cannot fail.
  public typealias Failure = Never

  private let interval: C.Instant.Duration
  private let tolerance: C.Instant.Duration?
  private let clock: C

  /// Makes a timer.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks, which must be longer than zero.
  ///   - tolerance: How much later than due a tick may come; as the clock will have it without one.
  ///   - clock: The clock.
  public init(interval: C.Instant.Duration, tolerance: C.Instant.Duration? = nil, clock: C) {
    precondition(interval > .zero, "a timer's interval must be longer than zero, but was \(interval)")
    self.interval = interval
    self.tolerance = tolerance
    self.clock = clock
  }

  /// Makes an iterator, whose intervals begin with the first call of `next()`.
  public func makeAsyncIterator() -> Iterator {
    Iterator(interval: interval, tolerance: tolerance, clock: clock)
  }

  /// Waits for one tick after the other.
  public struct Iterator: AsyncIteratorProtocol {
    private let interval: C.Instant.Duration
    private let tolerance: C.Instant.Duration?
    private var clock: C?
    /// The instant at which the last tick was due, or at which the intervals began.
    private var last: C.Instant?

    fileprivate init(interval: C.Instant.Duration, tolerance: C.Instant.Duration?, clock: C) {
      self.interval = interval
      self.tolerance = tolerance
      self.clock = clock
    }

    /// The instant of the next tick; `nil` after the task has been cancelled.
    public nonisolated(nonsending) mutating func next() async -> C.Instant? {
      await next(isolation: #isolation)
    }

    /// The instant of the next tick, on the caller's isolation.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> C.Instant? {
      guard let clock else { return nil }
      let deadline = deadline(clock.now)
      do {
        try await clock.sleep(until: deadline, tolerance: tolerance)
      } catch {
        self.clock = nil
        return nil
      }
      if Task.isCancelled {
        self.clock = nil
        return nil
      }
      last = deadline
      return clock.now
    }

    /// The first instant a whole number of intervals after the last tick that is not over yet.
    private func deadline(_ now: C.Instant) -> C.Instant {
      guard let last else { return now.advanced(by: interval) }
      let next = last.advanced(by: interval)
      guard next < now else { return next }
      // A quotient is not exact where many ticks have been missed; the steps are.
      let missed = Int(exactly: (next.duration(to: now) / interval).rounded(.down)) ?? 0
      var deadline = next.advanced(by: interval * missed)
      while deadline < now { deadline = deadline.advanced(by: interval) }
      while deadline > next, deadline.advanced(by: .zero - interval) >= now {
        deadline = deadline.advanced(by: .zero - interval)
      }
      return deadline
    }
  }
}

extension AsyncTimerSequence: Sendable {}

extension AsyncTimerSequence {
  /// Makes a timer that ticks at an interval of a clock.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks, which must be longer than zero.
  ///   - tolerance: How much later than due a tick may come; as the clock will have it without one.
  ///   - clock: The clock.
  public static func repeating(
    every interval: C.Instant.Duration, tolerance: C.Instant.Duration? = nil, clock: C
  ) -> AsyncTimerSequence {
    AsyncTimerSequence(interval: interval, tolerance: tolerance, clock: clock)
  }
}

extension AsyncTimerSequence where C == SuspendingClock {
  /// Makes a timer that stands still while the machine sleeps.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks, which must be longer than zero.
  ///   - tolerance: How much later than due a tick may come; as the clock will have it without one.
  public init(interval: Duration, tolerance: Duration? = nil) {
    self.init(interval: interval, tolerance: tolerance, clock: SuspendingClock())
  }

  /// Makes a timer that ticks at an interval, and stands still while the machine sleeps.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks, which must be longer than zero.
  ///   - tolerance: How much later than due a tick may come; as the clock will have it without one.
  public static func repeating(every interval: Duration, tolerance: Duration? = nil) -> AsyncTimerSequence {
    AsyncTimerSequence(interval: interval, tolerance: tolerance)
  }
}
