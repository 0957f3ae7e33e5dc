/// What to keep of the values that come faster than they are taken.
public enum BufferingPolicy: Hashable, Sendable {
  /// Keeps every value.
  case unbounded

  /// Keeps at most so many values; one that comes when there are as many is dropped.
  case bufferingOldest(Int)

  /// Keeps at most so many values; when one comes that is too many, the oldest is dropped.
  case bufferingNewest(Int)

  /// The number of values that may be kept. A negative limit is a programming error and traps.
  @inlinable
  var capacity: Int {
    switch self {
    case .unbounded: .max
    case .bufferingOldest(let limit), .bufferingNewest(let limit): limit.asCapacity
    }
  }

  /// Whether it is the newest values that go when there are too many.
  @inlinable
  var keepsOldest: Bool {
    if case .bufferingNewest = self { false } else { true }
  }
}

extension Int {
  @inlinable
  var asCapacity: Int {
    precondition(self >= 0, "a buffer cannot hold a negative number of values, but was to hold \(self)")
    return self
  }
}
