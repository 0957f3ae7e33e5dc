/// An asynchronous sequence that delivers an instant of a clock at an interval.
///
/// ```swift
/// for await _ in AsyncTimerSequence(interval: .seconds(1), clock: .continuous).prefix(3) {
///   print("tick")
/// }
/// ```
///
/// Each tick is due a whole number of intervals after the first call of `next()`, however late the ticks before it were
/// and however long they took to handle, so the timer does not drift. Ticks that are due while no task waits are
/// skipped, so there are no bursts. The element is the instant at which the tick was delivered.
///
/// - Cancellation: Cancelling the task ends the iteration with `nil`; so does a clock whose `sleep` throws.
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
  ///   - tolerance: How late a tick may be; without one, as the clock decides.
  ///   - clock: The clock.
  public init(interval: C.Instant.Duration, tolerance: C.Instant.Duration? = nil, clock: C) {
    precondition(interval > .zero, "a timer's interval must be longer than zero, but was \(interval)")
    self.interval = interval
    self.tolerance = tolerance
    self.clock = clock
  }

  /// Makes an iterator. Its intervals begin with the first call of `next()`.
  public func makeAsyncIterator() -> Iterator {
    Iterator(interval: interval, tolerance: tolerance, clock: clock)
  }

  /// Waits for the ticks, one at a time.
  public struct Iterator: AsyncIteratorProtocol {
    private let interval: C.Instant.Duration
    private let tolerance: C.Instant.Duration?
    private var clock: C?
    /// The instant at which the last tick was due.
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

    /// The first instant, a whole number of intervals after the last tick, that has not passed.
    private func deadline(_ now: C.Instant) -> C.Instant {
      guard let last else { return now.saturatingAdvanced(by: interval) }
      let next = last.saturatingAdvanced(by: interval)
      guard next < now else { return next }
      // The quotient is not exact if many ticks have been missed; the steps correct it.
      // With more than can be counted, they begin again.
      guard let missed = Int(exactly: (next.duration(to: now) / interval).rounded(.down)) else { return now }
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
  ///   - tolerance: How late a tick may be; without one, as the clock decides.
  ///   - clock: The clock.
  public static func repeating(
    every interval: C.Instant.Duration, tolerance: C.Instant.Duration? = nil, clock: C
  ) -> AsyncTimerSequence {
    AsyncTimerSequence(interval: interval, tolerance: tolerance, clock: clock)
  }
}

extension AsyncTimerSequence where C == SuspendingClock {
  /// Makes a timer that does not advance while the machine sleeps.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks, which must be longer than zero.
  ///   - tolerance: How late a tick may be; without one, as the clock decides.
  public init(interval: Duration, tolerance: Duration? = nil) {
    self.init(interval: interval, tolerance: tolerance, clock: SuspendingClock())
  }

  /// Makes a timer that ticks at an interval, and does not advance while the machine sleeps.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks, which must be longer than zero.
  ///   - tolerance: How late a tick may be; without one, as the clock decides.
  public static func repeating(every interval: Duration, tolerance: Duration? = nil) -> AsyncTimerSequence {
    AsyncTimerSequence(interval: interval, tolerance: tolerance)
  }
}
