import Combine
import InterflowPrimitives

extension Subscribers.Demand {
  /// Makes a demand from the count of a ``PackedDemand``.
  @inlinable
  init(count: UInt) {
    self = count >= PackedDemand.unlimited ? .unlimited : .max(Int(count))
  }

  /// The count as a ``PackedDemand`` stores it.
  @inlinable var count: UInt { max.map(UInt.init) ?? PackedDemand.unlimited }
}
