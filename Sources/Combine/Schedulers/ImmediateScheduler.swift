/// A scheduler that runs closures immediately, on the caller's thread.
///
/// Its time never advances: a closure scheduled for a later time also runs immediately.
public struct ImmediateScheduler: Scheduler, Sendable {
  /// The only point in the scheduler's time.
  public struct SchedulerTimeType: Strideable, Sendable {
    /// The time interval from this point to another: zero.
    public func distance(to other: SchedulerTimeType) -> Stride { Stride(0) }

    /// The point at an interval from this one: this one.
    public func advanced(by n: Stride) -> SchedulerTimeType { self }

    /// A time interval, which has no effect.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
      ExpressibleByFloatLiteral,
      Codable, Hashable, Sendable
    {
      /// The interval's number, which has no effect.
      public var magnitude: Int

      /// Makes an interval.
      public init(_ value: Int) {
        magnitude = value
      }

      /// Makes an interval.
      public init(integerLiteral value: Int) {
        self.init(value)
      }

      /// Makes an interval.
      public init(floatLiteral value: Double) {
        self.init(Int(value))
      }

      /// Makes an interval from a number, if it can be represented.
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let value = Int(exactly: source) else { return nil }
        self.init(value)
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

      /// Zero.
      public static func seconds(_ s: Int) -> Stride { 0 }

      /// Zero.
      public static func seconds(_ s: Double) -> Stride { 0 }

      /// Zero.
      public static func milliseconds(_ ms: Int) -> Stride { 0 }

      /// Zero.
      public static func microseconds(_ us: Int) -> Stride { 0 }

      /// Zero.
      public static func nanoseconds(_ ns: Int) -> Stride { 0 }
    }
  }

  /// There are no options.
  public typealias SchedulerOptions = Never

  /// The scheduler.
  public static let shared = ImmediateScheduler()

  /// The only point in the scheduler's time.
  public var now: SchedulerTimeType { SchedulerTimeType() }

  /// Zero.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs a closure immediately.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    action()
  }

  /// Runs a closure immediately.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    action()
  }

  /// Runs a closure immediately, once.
  ///
  /// - Returns: A cancellable that does nothing.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    action()
    return Subscriptions.empty
  }
}
