/// A point in virtual time: a number of nanoseconds after the start of its timeline.
///
/// A literal is a number of seconds:
///
/// ```swift
/// let time: VirtualTime = 1.5
/// #expect(time == VirtualTime(nanoseconds: 1_500_000_000))
/// ```
///
/// Schedulers and clocks of one ``TestTimeline`` share their time, so times of either can be compared.
public struct VirtualTime: Hashable, Sendable {
  /// The number of nanoseconds since the start.
  public let nanoseconds: Int

  /// Makes the point at a number of nanoseconds after the start.
  public init(nanoseconds: Int) {
    self.nanoseconds = nanoseconds
  }

  /// The number of seconds since the start.
  public var seconds: Double { Double(nanoseconds) / 1_000_000_000 }

  /// The start of the timeline.
  public static let zero = VirtualTime(nanoseconds: 0)

  package static let distantFuture = VirtualTime(nanoseconds: .max)
}

extension VirtualTime: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Makes the point at a number of seconds after the start.
  public init(integerLiteral value: Int) {
    self.init(nanoseconds: Stride.seconds(value).nanoseconds)
  }

  /// Makes the point at a number of seconds after the start.
  public init(floatLiteral value: Double) {
    self.init(nanoseconds: Stride.seconds(value).nanoseconds)
  }
}

extension VirtualTime: Strideable {
  /// The time interval from this point to another.
  public func distance(to other: VirtualTime) -> Stride {
    Stride(nanoseconds: other.nanoseconds.subtractingClamping(nanoseconds))
  }

  /// The point at an interval from this one, clamped to the last representable point.
  public func advanced(by n: Stride) -> VirtualTime {
    VirtualTime(nanoseconds: nanoseconds.addingClamping(n.nanoseconds))
  }

  /// Whether one point is earlier than another.
  public static func < (lhs: VirtualTime, rhs: VirtualTime) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  /// Whether two points are the same.
  public static func == (lhs: VirtualTime, rhs: VirtualTime) -> Bool { lhs.nanoseconds == rhs.nanoseconds }
}

extension VirtualTime: InstantProtocol {
  /// The point at a duration from this one, rounded up to nanoseconds.
  @_disfavoredOverload  // So that `advanced(by: .seconds(1))` is not ambiguous.
  public func advanced(by duration: Duration) -> VirtualTime { advanced(by: Stride(duration)) }

  /// The duration from this point to another.
  public func duration(to other: VirtualTime) -> Duration { distance(to: other).duration }
}

extension VirtualTime: CustomStringConvertible {
  /// The seconds since the start, as in `1.5 s`.
  public var description: String { "\(distance(from: .zero))" }

  private func distance(from other: VirtualTime) -> Stride { other.distance(to: self) }
}
