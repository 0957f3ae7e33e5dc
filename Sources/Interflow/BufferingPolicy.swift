/// Which values a buffer keeps when they arrive faster than they are taken.
public enum BufferingPolicy: Hashable, Sendable {
  /// Buffers every value.
  case unbounded

  /// Buffers at most this many values; a value that arrives when the buffer is full is dropped.
  case bufferingOldest(Int)

  /// Buffers at most this many values; when another arrives, the oldest is dropped.
  case bufferingNewest(Int)

  /// The number of values that may be buffered. A negative limit is a programming error and traps.
  @inlinable
  var capacity: Int {
    switch self {
    case .unbounded: .max
    case .bufferingOldest(let limit), .bufferingNewest(let limit): limit.asCapacity
    }
  }

  /// Whether the newest values are dropped when there are too many; otherwise, the oldest are.
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
