public import Combine

/// Demand that a subscriber has requested, and the time of the request.
///
/// A test can make requests to compare with; without a timeline, all times are zero:
///
/// ```swift
/// let upstream = TestPublisher<Int, Never>()
/// upstream.prefix(3).subscribe(RecordingSubscriber(initialDemand: .max(2)))
/// #expect(upstream.requests == [.max(2)])
/// ```
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

  /// A request of a number of values at a time, which is zero without a timeline.
  public static func max(_ count: Int, at time: VirtualTime = .zero) -> Self { Self(.max(count), at: time) }

  /// A request of unlimited demand at time zero, which is that of all requests without a timeline.
  public static var unlimited: Self { Self(.unlimited, at: .zero) }

  /// A request of unlimited demand at a time.
  public static func unlimited(at time: VirtualTime) -> Self { Self(.unlimited, at: time) }

  /// The demand and its time, as in `max(2) at 1 s`.
  public var description: String { "\(demand) at \(time)" }
}
