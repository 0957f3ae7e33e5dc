/// A point in virtual time: so many nanoseconds after the beginning of its timeline.
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
  /// The number of nanoseconds since the beginning.
  public let nanoseconds: Int

  /// Makes the point that many nanoseconds after the beginning.
  public init(nanoseconds: Int) {
    self.nanoseconds = nanoseconds
  }

  /// The number of seconds since the beginning.
  public var seconds: Double { Double(nanoseconds) / 1_000_000_000 }

  /// The beginning.
  public static let zero = VirtualTime(nanoseconds: 0)

  package static let distantFuture = VirtualTime(nanoseconds: .max)
}

extension VirtualTime: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Makes the point that many seconds after the beginning.
  public init(integerLiteral value: Int) {
    self.init(nanoseconds: Stride.seconds(value).nanoseconds)
  }

  /// Makes the point that many seconds after the beginning.
  public init(floatLiteral value: Double) {
    self.init(nanoseconds: Stride.seconds(value).nanoseconds)
  }
}

extension VirtualTime: Strideable {
  /// The length of time from here to another point.
  public func distance(to other: VirtualTime) -> Stride {
    Stride(nanoseconds: other.nanoseconds.subtractingClamping(nanoseconds))
  }

  /// The point that lies a length of time from here; the last one there is where that is too far away.
  public func advanced(by n: Stride) -> VirtualTime {
    VirtualTime(nanoseconds: nanoseconds.addingClamping(n.nanoseconds))
  }

  /// Whether one point is earlier than another.
  public static func < (lhs: VirtualTime, rhs: VirtualTime) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  /// Whether two points are the same.
  public static func == (lhs: VirtualTime, rhs: VirtualTime) -> Bool { lhs.nanoseconds == rhs.nanoseconds }
}

extension VirtualTime: InstantProtocol {
  /// The point that lies a length of time from here, the length rounded up to nanoseconds.
  @_disfavoredOverload  // So that `advanced(by: .seconds(1))` has one meaning.
  public func advanced(by duration: Duration) -> VirtualTime { advanced(by: Stride(duration)) }

  /// The length of time from here to another point.
  public func duration(to other: VirtualTime) -> Duration { distance(to: other).duration }
}

extension VirtualTime: CustomStringConvertible {
  /// The seconds since the beginning, as in `1.5 s`.
  public var description: String { "\(distance(from: .zero))" }

  private func distance(from other: VirtualTime) -> Stride { other.distance(to: self) }
}
