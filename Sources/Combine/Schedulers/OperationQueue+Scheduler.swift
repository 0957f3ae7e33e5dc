import Dispatch
public import Foundation
import InterflowPrimitives

extension OperationQueue: Scheduler {
  /// A point in the time of a `OperationQueue`: a date.
  public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
    /// The date.
    public var date: Date

    /// Makes a point in time from a date.
    public init(_ date: Date) {
      self.date = date
    }

    /// The length of time from here to another point.
    public func distance(to other: SchedulerTimeType) -> Stride {
      Stride(other.date.timeIntervalSince(date))
    }

    /// The point that lies a length of time from here.
    public func advanced(by n: Stride) -> SchedulerTimeType {
      SchedulerTimeType(date.addingTimeInterval(n.timeInterval))
    }

    /// A length of time, in seconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
      ExpressibleByFloatLiteral,
      Codable, Hashable, Sendable
    {
      /// The length as its number of seconds.
      public var magnitude: TimeInterval

      /// The length in seconds.
      public var timeInterval: TimeInterval { magnitude }

      /// Makes a length from seconds.
      public init(_ timeInterval: TimeInterval) {
        magnitude = timeInterval
      }

      /// Makes a length from seconds.
      public init(floatLiteral value: TimeInterval) {
        self.init(value)
      }

      /// Makes a length from seconds.
      public init(integerLiteral value: TimeInterval) {
        self.init(value)
      }

      /// Makes a length from a number of seconds, if it can be represented.
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let magnitude = TimeInterval(exactly: source) else { return nil }
        self.init(magnitude)
      }

      /// The product of two lengths' numbers.
      public static func * (lhs: Stride, rhs: Stride) -> Stride {
        Stride(lhs.magnitude * rhs.magnitude)
      }

      /// Multiplies a length.
      public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }

      /// The sum of two lengths.
      public static func + (lhs: Stride, rhs: Stride) -> Stride {
        Stride(lhs.magnitude + rhs.magnitude)
      }

      /// Adds to a length.
      public static func += (lhs: inout Stride, rhs: Stride) { lhs = lhs + rhs }

      /// The difference of two lengths.
      public static func - (lhs: Stride, rhs: Stride) -> Stride {
        Stride(lhs.magnitude - rhs.magnitude)
      }

      /// Takes from a length.
      public static func -= (lhs: inout Stride, rhs: Stride) { lhs = lhs - rhs }

      /// Whether one length is shorter than another.
      public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

      /// A length of whole seconds.
      public static func seconds(_ s: Int) -> Stride { Stride(Double(s)) }

      /// A length of seconds.
      public static func seconds(_ s: Double) -> Stride { Stride(s) }

      /// A length of milliseconds.
      public static func milliseconds(_ ms: Int) -> Stride { Stride(Double(ms) / 1_000) }

      /// A length of microseconds.
      public static func microseconds(_ us: Int) -> Stride { Stride(Double(us) / 1_000_000) }

      /// A length of nanoseconds.
      public static func nanoseconds(_ ns: Int) -> Stride { Stride(Double(ns) / 1_000_000_000) }
    }
  }

  /// There is nothing to say about how an operation queue runs a closure.
  public struct SchedulerOptions: Sendable {}

  /// The present, as a date.
  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

  /// Zero: a queue is as exact as the system is.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs a closure on the queue as soon as possible.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    // The scheduler's contract transfers the closure: it runs once, here, and the caller keeps nothing of it.
    let action = UncheckedTransfer(action)
    addOperation { action.value() }
  }

  /// Runs a closure on the queue after a date.
  ///
  /// Until then it is an operation in the queue that is not ready, so `operationCount` counts it,
  /// `waitUntilAllOperationsAreFinished()` waits for it, and `cancelAllOperations()` cancels it.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    DelayedOperation(action).enter(self, dueAt: date.date, tolerance: tolerance.timeInterval)
  }

  /// Runs a closure on the queue after a date, and then again at an interval.
  ///
  /// The next run is always in the queue, as an operation that is not ready before its time. Where the queue is late,
  /// the runs that it has missed are dropped. `cancelAllOperations()` ends the repetition.
  ///
  /// - Returns: What ends the repetition when it is cancelled or deallocated; what the queue has been given and not
  ///   begun does not run either.
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
