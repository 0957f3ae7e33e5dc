import Dispatch
public import Foundation
import InterflowPrimitives

extension RunLoop: Scheduler {
  /// A point in the time of a `RunLoop`: a date.
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

  /// There is nothing to say about how a run loop runs a closure.
  public struct SchedulerOptions: Sendable {}

  /// The present, as a date.
  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

  /// Zero: a run loop is as exact as the system is.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs a closure on the run loop as soon as possible.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    // The scheduler's contract transfers the closure: it runs once, here, and the caller keeps nothing of it.
    let action = UncheckedTransfer(action)
    if isDrivenByDispatch {
      DispatchQueue.main.async { action.value() }
    } else {
      // A timer, not `perform`: adding one wakes a loop that sleeps in another thread.
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

  /// Runs a closure on the run loop after a date, and then again at an interval.
  ///
  /// - Returns: What ends the repetition when it is cancelled or deallocated.
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
  /// Whether this is the main run loop, whose work goes through the main queue: under an asynchronous `main`, and under
  /// a test runner, nobody runs that loop, and timers on it never fire, while the main queue is served; and a main run
  /// loop that does run serves the main queue too.
  private var isDrivenByDispatch: Bool { self === RunLoop.main }

  /// An interval, or the least that a timer repeats at where it is none.
  static func positive(_ interval: TimeInterval) -> TimeInterval { interval > 0 ? interval : 0.0001 }

  private func addTimer(_ timer: Timer, in mode: RunLoop.Mode) {
    add(timer, forMode: mode)
  }

  /// Runs a closure again and again, until what is returned is cancelled or deallocated.
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
