import InterflowPrimitives

/// The namespace of the types that serve as subscribers.
public enum Subscribers {}

extension Subscribers {
  /// A number of values that a subscriber requests: a count, or unlimited.
  ///
  /// Demand only adds up: each request is added to what was requested and not yet delivered, and ``unlimited`` stays
  /// unlimited whatever is added or taken away. Arithmetic never traps on overflow or below zero: it saturates at
  /// ``unlimited`` and at ``none``.
  ///
  /// ```swift
  /// let demand = Subscribers.Demand.max(2) + 3
  /// print(demand)  // max(5)
  /// ```
  @frozen
  public struct Demand: Equatable, Comparable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The count; `Int.max + 1` stands for no limit.
    @usableFromInline let rawValue: UInt

    @inlinable
    init(rawValue: UInt) {
      self.rawValue = Swift.min(rawValue, Self.unlimitedRawValue)
    }

    /// Makes a demand from the count of a ``PackedDemand``, without its flags.
    @inlinable
    init(packed word: UInt) {
      self = word & PackedDemand.unlimited != 0 ? .unlimited : Demand(rawValue: word & PackedDemand.mask)
    }

    @inlinable
    static var unlimitedRawValue: UInt { UInt(Int.max) + 1 }

    /// A request for all values, without limit.
    @inlinable
    public static var unlimited: Demand { Demand(rawValue: unlimitedRawValue) }

    /// A request for no values; the same as `max(0)`.
    @inlinable
    public static var none: Demand { Demand(rawValue: 0) }

    /// A request for at most `value` more values.
    ///
    /// - Parameter value: The count. A negative number is a programming error and traps.
    @inlinable
    public static func max(_ value: Int) -> Demand {
      precondition(value >= 0, "demand cannot be negative, but was \(value)")
      return Demand(rawValue: UInt(value))
    }

    /// The count requested, or `nil` for ``unlimited``.
    @inlinable
    public var max: Int? { rawValue == Self.unlimitedRawValue ? nil : Int(rawValue) }

    /// `unlimited`, or `max(n)`.
    public var description: String {
      max.map { "max(\($0))" } ?? "unlimited"
    }

    /// Reads a demand from the single number that ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
      try self.init(rawValue: decoder.singleValueContainer().decode(UInt.self))
    }

    /// Writes the demand as a single number.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(rawValue)
    }
  }
}
