#if INTERFLOW_FOUNDATION
  import Dispatch
  public import Foundation
  import InterflowPrimitives

  extension RunLoop: Scheduler {
    /// A point in time for a `RunLoop`: a date.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
      /// The date.
      public var date: Date

      /// Makes a point in time from a date.
      public init(_ date: Date) {
        self.date = date
      }

      /// The time interval from this point to another.
      public func distance(to other: SchedulerTimeType) -> Stride {
        Stride(other.date.timeIntervalSince(date))
      }

      /// The point at an interval from this one.
      public func advanced(by n: Stride) -> SchedulerTimeType {
        SchedulerTimeType(date.addingTimeInterval(n.timeInterval))
      }

      /// A time interval, in seconds.
      public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
        ExpressibleByFloatLiteral,
        Codable, Hashable, Sendable
      {
        /// The number of seconds.
        public var magnitude: TimeInterval

        /// The interval in seconds.
        public var timeInterval: TimeInterval { magnitude }

        /// Makes an interval from seconds.
        public init(_ timeInterval: TimeInterval) {
          magnitude = timeInterval
        }

        /// Makes an interval from seconds.
        public init(floatLiteral value: TimeInterval) {
          self.init(value)
        }

        /// Makes an interval from seconds.
        public init(integerLiteral value: TimeInterval) {
          self.init(value)
        }

        /// Makes an interval from a number of seconds, if it can be represented.
        public init?<T: BinaryInteger>(exactly source: T) {
          guard let magnitude = TimeInterval(exactly: source) else { return nil }
          self.init(magnitude)
        }

        /// The product of two intervals' numbers.
        public static func * (lhs: Stride, rhs: Stride) -> Stride {
          Stride(lhs.magnitude * rhs.magnitude)
        }

        /// Multiplies an interval.
        public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }

        /// The sum of two intervals.
        public static func + (lhs: Stride, rhs: Stride) -> Stride {
          Stride(lhs.magnitude + rhs.magnitude)
        }

        /// Adds to an interval.
        public static func += (lhs: inout Stride, rhs: Stride) { lhs = lhs + rhs }

        /// The difference of two intervals.
        public static func - (lhs: Stride, rhs: Stride) -> Stride {
          Stride(lhs.magnitude - rhs.magnitude)
        }

        /// Subtracts from an interval.
        public static func -= (lhs: inout Stride, rhs: Stride) { lhs = lhs - rhs }

        /// Whether one interval is shorter than another.
        public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

        /// An interval of whole seconds.
        public static func seconds(_ s: Int) -> Stride { Stride(Double(s)) }

        /// An interval of seconds.
        public static func seconds(_ s: Double) -> Stride { Stride(s) }

        /// An interval of milliseconds.
        public static func milliseconds(_ ms: Int) -> Stride { Stride(Double(ms) / 1_000) }

        /// An interval of microseconds.
        public static func microseconds(_ us: Int) -> Stride { Stride(Double(us) / 1_000_000) }

        /// An interval of nanoseconds.
        public static func nanoseconds(_ ns: Int) -> Stride { Stride(Double(ns) / 1_000_000_000) }
      }
    }

    /// Options for the execution of a closure; there are none.
    public struct SchedulerOptions: Sendable {}

    /// The current date.
    public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

    /// Zero: the run loop adds no tolerance of its own.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs a closure on the run loop as soon as possible.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
      // The scheduler's contract transfers the closure: it runs once, here, and the caller does not use it again.
      let action = UncheckedTransfer(action)
      if isDrivenByDispatch {
        DispatchQueue.main.async { action.value() }
      } else {
        // A timer, not `perform`: adding a timer wakes a run loop that sleeps on another thread.
        addTimer(
          Timer(fire: .distantPast, interval: 0, repeats: false) { _ in action.value() }, in: .common)
      }
    }

    /// Runs a closure on the run loop after a date.
    public func schedule(
      after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
      _ action: @escaping () -> Void
    ) {
      let action = UncheckedTransfer(action)
      if isDrivenByDispatch {
        DispatchQueue.main.asyncAfter(deadline: .now() + date.date.timeIntervalSinceNow) {
          action.value()
        }
      } else {
        let timer = Timer(fire: date.date, interval: 0, repeats: false) { _ in action.value() }
        timer.tolerance = tolerance.timeInterval
        addTimer(timer, in: .common)
      }
    }

    /// Runs a closure on the run loop after a date, and then repeatedly at an interval.
    ///
    /// - Returns: A cancellable that ends the repetition, also when it is deallocated.
    public func schedule(
      after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
      tolerance: SchedulerTimeType.Stride,
      options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
      repeating(
        from: date.date, every: interval.timeInterval, tolerance: tolerance.timeInterval, in: .common,
        action)
    }
  }

  extension RunLoop {
    /// Whether this is the main run loop, whose closures are scheduled on the main queue. Under an asynchronous `main`,
    /// and under a test runner, nothing runs that run loop, so its timers never fire, but the main queue is served. If
    /// the main run loop does run, it serves the main queue too.
    private var isDrivenByDispatch: Bool { self === RunLoop.main }

    /// The interval, or the shortest one of a timer if it is not positive.
    static func positive(_ interval: TimeInterval) -> TimeInterval { interval > 0 ? interval : 0.0001 }

    private func addTimer(_ timer: Timer, in mode: RunLoop.Mode) {
      add(timer, forMode: mode)
    }

    /// Runs a closure repeatedly, until the returned cancellable is cancelled or deallocated.
    func repeating(
      from date: Date, every interval: TimeInterval, tolerance: TimeInterval, in mode: RunLoop.Mode,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      let (interval, tolerance) = (RunLoop.positive(interval), Swift.max(tolerance, 0))
      let repetition = Repetition(action)
      if isDrivenByDispatch {
        let timer = DispatchQueue.main.schedule(
          after: DispatchQueue.main.now.advanced(by: .seconds(date.timeIntervalSinceNow)),
          interval: .seconds(interval),
          tolerance: .seconds(tolerance)
        ) { repetition.run() }
        return AnyCancellable {
          timer.cancel()
          repetition.cancel()
        }
      }
      let timer = Timer(fire: date, interval: interval, repeats: true) { _ in repetition.run() }
      timer.tolerance = tolerance
      addTimer(timer, in: mode)
      let handle = UncheckedTransfer(timer)
      return AnyCancellable {
        repetition.cancel()
        handle.value.invalidate()
      }
    }
  }
#endif
