#if INTERFLOW_FOUNDATION
  import Dispatch
  public import Foundation
  import InterflowPrimitives

  extension OperationQueue: Scheduler {
    /// A point in time for an `OperationQueue`: a date.
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

    /// Zero: the queue adds no tolerance of its own.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs a closure on the queue as soon as possible, unless `cancelAllOperations()` cancels it.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
      // The scheduler's contract transfers the closure: it runs once, here, and the caller does not use it again.
      let action = UncheckedTransfer(action)
      addOperation { action.value() }
    }

    /// Runs a closure on the queue after a date.
    ///
    /// Until then the queue contains an operation that is not ready, so `operationCount` counts it,
    /// `waitUntilAllOperationsAreFinished()` waits for it, and `cancelAllOperations()` cancels it.
    public func schedule(
      after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
      _ action: @escaping () -> Void
    ) {
      DelayedOperation(action).add(to: self, dueAt: date.date, tolerance: tolerance.timeInterval)
    }

    /// Runs a closure on the queue after a date, and then repeatedly at an interval.
    ///
    /// The queue always contains the next run, as an operation that is not ready before it is due. If the queue is late,
    /// the missed runs are skipped. `cancelAllOperations()` ends the repetition.
    ///
    /// - Returns: A cancellable that ends the repetition, also when it is deallocated. A run that the queue has not begun
    ///   is cancelled.
    public func schedule(
      after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
      tolerance: SchedulerTimeType.Stride,
      options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
      let repetition = DelayedRepetition(
        Repetition(action), every: interval.timeInterval, tolerance: tolerance.timeInterval, on: self)
      repetition.addNext(at: date.date)
      return AnyCancellable { repetition.cancel() }
    }
  }

  extension OperationQueue {
    /// As an operation that runs although it is cancelled.
    @usableFromInline
    func addKept(_ action: @escaping () -> Void) {
      addOperation(KeptOperation(action))
    }

    /// As an operation that runs although it is cancelled, and then at once.
    @usableFromInline
    func addKept(
      after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, _ action: @escaping () -> Void
    ) {
      DelayedOperation(isKept: true, action).add(to: self, dueAt: date.date, tolerance: tolerance.timeInterval)
    }
  }

  /// An operation that runs although it is cancelled, as by `cancelAllOperations()`.
  private final class KeptOperation: Operation, @unchecked Sendable {
    // Used only by `main()`, which the queue calls once.
    private var action: (() -> Void)?

    init(_ action: @escaping () -> Void) {
      self.action = action
    }

    override func main() {
      action.take()?()
    }

    override func cancel() {}
  }
#endif
