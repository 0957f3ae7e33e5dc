/// A scheduler that runs closures at once, where they are scheduled.
///
/// Time stands still: a closure scheduled for later runs at once too.
public struct ImmediateScheduler: Scheduler, Sendable {
  /// The only point in the scheduler's time.
  public struct SchedulerTimeType: Strideable, Sendable {
    /// The length of time from here to another point.
    public func distance(to other: SchedulerTimeType) -> Stride { Stride(0) }

    /// The point that lies a length of time from here: this one.
    public func advanced(by n: Stride) -> SchedulerTimeType { self }

    /// A length of time that nothing ever takes.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
      ExpressibleByFloatLiteral,
      Codable, Hashable, Sendable
    {
      /// The length's number, which means nothing.
      public var magnitude: Int

      /// Makes a length.
      public init(_ value: Int) {
        magnitude = value
      }

      /// Makes a length.
      public init(integerLiteral value: Int) {
        self.init(value)
      }

      /// Makes a length.
      public init(floatLiteral value: Double) {
        self.init(Int(value))
      }

      /// Makes a length from a number, if it can be represented.
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let value = Int(exactly: source) else { return nil }
        self.init(value)
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

      /// No time at all.
      public static func seconds(_ s: Int) -> Stride { 0 }

      /// No time at all.
      public static func seconds(_ s: Double) -> Stride { 0 }

      /// No time at all.
      public static func milliseconds(_ ms: Int) -> Stride { 0 }

      /// No time at all.
      public static func microseconds(_ us: Int) -> Stride { 0 }

      /// No time at all.
      public static func nanoseconds(_ ns: Int) -> Stride { 0 }
    }
  }

  /// There is nothing to say about how a closure is to be run.
  public typealias SchedulerOptions = Never

  /// The scheduler.
  public static let shared = ImmediateScheduler()

  /// The present.
  public var now: SchedulerTimeType { SchedulerTimeType() }

  /// Zero.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs a closure now.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    action()
  }

  /// Runs a closure now.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    action()
  }

  /// Runs a closure now, once.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    action()
    return Subscriptions.empty
  }
}
