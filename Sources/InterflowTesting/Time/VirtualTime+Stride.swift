public import Combine

extension VirtualTime {
  /// An interval of virtual time, in whole nanoseconds; a literal is a number of seconds.
  public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
    Hashable, Sendable
  {
    /// The number of nanoseconds.
    public let nanoseconds: Int

    /// Makes an interval of nanoseconds.
    public init(nanoseconds: Int) {
      self.nanoseconds = nanoseconds
    }

    /// Makes an interval from a duration, rounded up to nanoseconds and clamped to the longest interval.
    public init(_ duration: Duration) {
      let (seconds, attoseconds) = duration.components
      let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
      self.init(
        nanoseconds: Stride.seconds(Int(seconds)).nanoseconds.addingClamping(Int(whole) + (rest > 0 ? 1 : 0)))
    }

    /// Makes an interval of seconds.
    public init(integerLiteral value: Int) {
      self = .seconds(value)
    }

    /// Makes an interval of seconds.
    public init(floatLiteral value: Double) {
      self = .seconds(value)
    }

    /// Makes an interval of nanoseconds, if the number can be represented.
    public init?<T: BinaryInteger>(exactly source: T) {
      guard let nanoseconds = Int(exactly: source) else { return nil }
      self.init(nanoseconds: nanoseconds)
    }

    /// The number of seconds.
    public var seconds: Double { Double(nanoseconds) / 1_000_000_000 }

    /// The interval as a duration.
    public var duration: Duration { .nanoseconds(nanoseconds) }

    /// The number of nanoseconds, without its sign.
    public var magnitude: Int { nanoseconds == .min ? .max : abs(nanoseconds) }

    /// Whether one interval is shorter than another.
    public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

    /// The sum of two intervals, clamped to the longest interval.
    public static func + (lhs: Stride, rhs: Stride) -> Stride {
      Stride(nanoseconds: lhs.nanoseconds.addingClamping(rhs.nanoseconds))
    }

    /// The difference of two intervals, clamped to the longest interval.
    public static func - (lhs: Stride, rhs: Stride) -> Stride {
      Stride(nanoseconds: lhs.nanoseconds.subtractingClamping(rhs.nanoseconds))
    }

    /// The product of two intervals' numbers of nanoseconds, clamped to the longest interval.
    public static func * (lhs: Stride, rhs: Stride) -> Stride {
      Stride(nanoseconds: lhs.nanoseconds.multipliedClamping(by: rhs.nanoseconds))
    }

    /// Multiplies an interval's number of nanoseconds by another's.
    public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }

    /// An interval of whole seconds, clamped to the longest interval.
    public static func seconds(_ s: Int) -> Stride { Stride(nanoseconds: s.multipliedClamping(by: 1_000_000_000)) }

    /// An interval of seconds, rounded to the nanosecond.
    public static func seconds(_ s: Double) -> Stride { Stride(nanoseconds: (s * 1_000_000_000).clampedToInt) }

    /// An interval of milliseconds.
    public static func milliseconds(_ ms: Int) -> Stride { Stride(nanoseconds: ms.multipliedClamping(by: 1_000_000)) }

    /// An interval of microseconds.
    public static func microseconds(_ us: Int) -> Stride { Stride(nanoseconds: us.multipliedClamping(by: 1_000)) }

    /// An interval of nanoseconds.
    public static func nanoseconds(_ ns: Int) -> Stride { Stride(nanoseconds: ns) }

    /// The interval multiplied by a number.
    func times(_ count: Int) -> Stride { Stride(nanoseconds: nanoseconds.multipliedClamping(by: count)) }
  }
}

extension VirtualTime.Stride: CustomStringConvertible {
  /// The interval in seconds, exact, as in `1.5 s`.
  public var description: String {
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    var text = (nanoseconds < 0 ? "-" : "") + "\(whole)"
    if rest > 0 {
      let digits = String(rest + 1_000_000_000).dropFirst()
      text += "." + digits.reversed().drop { $0 == "0" }.reversed()
    }
    return text + " s"
  }
}

extension Int {
  func addingClamping(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (self < 0 ? .min : .max) : sum
  }

  func subtractingClamping(_ other: Int) -> Int {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (self < 0 ? .min : .max) : difference
  }

  func multipliedClamping(by factor: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? ((self < 0) != (factor < 0) ? .min : .max) : product
  }
}

extension Double {
  fileprivate var clampedToInt: Int {
    self >= Double(Int.max) ? .max : self <= Double(Int.min) ? .min : Int(rounded())
  }
}
