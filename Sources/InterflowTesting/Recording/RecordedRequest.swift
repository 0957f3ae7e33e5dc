public import Combine

/// Demand that a subscriber has requested, and the time of the request.
public struct RecordedRequest: Hashable, Sendable, CustomStringConvertible {
  /// The time of the request.
  public let time: VirtualTime
  /// The requested demand.
  public let demand: Subscribers.Demand

  /// Makes a request.
  public init(_ demand: Subscribers.Demand, at time: VirtualTime) {
    self.time = time
    self.demand = demand
  }

  /// The demand and its time, as in `max(2) at 1 s`.
  public var description: String { "\(demand) at \(time)" }
}
