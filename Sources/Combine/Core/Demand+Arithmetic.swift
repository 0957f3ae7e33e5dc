extension Subscribers.Demand {
  /// The sum of two demands; ``unlimited`` if either is, or if the sum is too large to count.
  @inlinable
  public static func + (lhs: Self, rhs: Self) -> Self {
    // Both are at most Int.max + 1, so the sum overflows only when both are unlimited.
    let (sum, overflow) = lhs.rawValue.addingReportingOverflow(rhs.rawValue)
    return overflow ? .unlimited : Self(rawValue: sum)
  }

  /// Adds a demand to another.
  @inlinable
  public static func += (lhs: inout Self, rhs: Self) {
    if lhs == .unlimited { return }
    lhs = lhs + rhs
  }

  /// The demand with `rhs` more values, or fewer if `rhs` is negative, clamped to ``none``.
  @inlinable
  public static func + (lhs: Self, rhs: Int) -> Self {
    rhs >= 0 ? lhs + Self(rawValue: UInt(rhs)) : lhs - Self(rawValue: rhs.magnitude)
  }

  /// Adds `rhs` values to a demand.
  @inlinable
  public static func += (lhs: inout Self, rhs: Int) {
    lhs = lhs + rhs
  }

  /// The demand multiplied by `rhs`; ``unlimited`` if the product is too large to count.
  ///
  /// A negative factor is a programming error and traps, unless the demand is ``unlimited`` or ``none``: it stays so.
  @inlinable
  public static func * (lhs: Self, rhs: Int) -> Self {
    if lhs == .unlimited || lhs == .none { return lhs }
    precondition(rhs >= 0, "a demand cannot be multiplied by a negative number, but was by \(rhs)")
    let (product, overflow) = lhs.rawValue.multipliedReportingOverflow(by: UInt(rhs))
    return overflow ? .unlimited : Self(rawValue: product)
  }

  /// Multiplies a demand.
  @inlinable
  public static func *= (lhs: inout Self, rhs: Int) {
    lhs = lhs * rhs
  }

  /// The difference of two demands: ``unlimited`` minus anything is unlimited, a count minus ``unlimited`` is ``none``.
  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Self {
    if lhs == .unlimited { return .unlimited }
    return lhs.rawValue > rhs.rawValue ? Self(rawValue: lhs.rawValue - rhs.rawValue) : .none
  }

  /// Subtracts a demand from another.
  @inlinable
  public static func -= (lhs: inout Self, rhs: Self) {
    lhs = lhs - rhs
  }

  /// The demand with `rhs` fewer values, clamped to ``none``.
  @inlinable
  public static func - (lhs: Self, rhs: Int) -> Self {
    rhs >= 0 ? lhs - Self(rawValue: UInt(rhs)) : lhs + Self(rawValue: rhs.magnitude)
  }

  /// Subtracts `rhs` values from a demand.
  @inlinable
  public static func -= (lhs: inout Self, rhs: Int) {
    lhs = lhs - rhs
  }
}

extension Subscribers.Demand {
  /// Whether `lhs` requests fewer values; ``unlimited`` is never less than another demand.
  @inlinable
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

  /// Whether `lhs` requests at most as many values; everything is at most ``unlimited``.
  @inlinable
  public static func <= (lhs: Self, rhs: Self) -> Bool { lhs.rawValue <= rhs.rawValue }

  /// Whether `lhs` requests at least as many values; ``unlimited`` is at least everything.
  @inlinable
  public static func >= (lhs: Self, rhs: Self) -> Bool { lhs.rawValue >= rhs.rawValue }

  /// Whether `lhs` requests more values; no demand is more than ``unlimited``.
  @inlinable
  public static func > (lhs: Self, rhs: Self) -> Bool { lhs.rawValue > rhs.rawValue }

  /// Whether the demand is a count equal to `rhs`; ``unlimited`` equals no number.
  @inlinable
  public static func == (lhs: Self, rhs: Int) -> Bool { lhs.max == rhs }

  /// Whether the demand is anything but a count equal to `rhs`.
  @inlinable
  public static func != (lhs: Self, rhs: Int) -> Bool { lhs.max != rhs }

  /// Whether a number equals the demand's count.
  @inlinable
  public static func == (lhs: Int, rhs: Self) -> Bool { rhs.max == lhs }

  /// Whether a number differs from the demand's count.
  @inlinable
  public static func != (lhs: Int, rhs: Self) -> Bool { rhs.max != lhs }

  /// Whether the demand is for fewer values than a number; ``unlimited`` never is.
  @inlinable
  public static func < (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 < rhs } ?? false }

  /// Whether a number is less than the demand; every number is less than ``unlimited``.
  @inlinable
  public static func < (lhs: Int, rhs: Self) -> Bool { rhs.max.map { lhs < $0 } ?? true }

  /// Whether the demand is for at most as many values as a number; ``unlimited`` never is.
  @inlinable
  public static func <= (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 <= rhs } ?? false }

  /// Whether a number is at most the demand; every number is at most ``unlimited``.
  @inlinable
  public static func <= (lhs: Int, rhs: Self) -> Bool { rhs.max.map { lhs <= $0 } ?? true }

  /// Whether the demand is for at least as many values as a number; ``unlimited`` always is.
  @inlinable
  public static func >= (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 >= rhs } ?? true }

  /// Whether a number is at least the demand; none is at least ``unlimited``.
  @inlinable
  public static func >= (lhs: Int, rhs: Self) -> Bool { rhs.max.map { lhs >= $0 } ?? false }

  /// Whether the demand is for more values than a number; ``unlimited`` always is.
  @inlinable
  public static func > (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 > rhs } ?? true }

  /// Whether a number is more than the demand; none is more than ``unlimited``.
  @inlinable
  public static func > (lhs: Int, rhs: Self) -> Bool { rhs.max.map { lhs > $0 } ?? false }
}
