import Combine
import InterflowPrimitives

/// The latest values of a ``ReplaySubject``, with the times at which they were sent where their age is limited.
///
/// Each value has a number, one more than that of the value before it.
@frozen
@usableFromInline
struct ReplayBuffer<Value> {
  @usableFromInline var capacity: Int
  @usableFromInline var values = RingBuffer<Value>()
  /// Of each value the time at which it was sent, if there is an age.
  @usableFromInline var stamps = RingBuffer<Any>()
  /// The number of the oldest value, if there is an age.
  @usableFromInline var firstNumber: UInt = 0
  /// Whether values are stored only until there is a subscriber.
  @usableFromInline let isForFirstSubscriber: Bool

  @usableFromInline
  init(capacity: Int, isForFirstSubscriber: Bool = false) {
    precondition(capacity >= 0, "the size of a replay buffer must not be negative, but was \(capacity)")
    self.capacity = capacity
    self.isForFirstSubscriber = isForFirstSubscriber
  }

  /// - Returns: The value that has no room any more, which the caller releases.
  @inlinable
  @inline(__always)
  mutating func append(_ value: Value) -> Value? {
    guard capacity > 0 else { return nil }
    if values.count >= capacity { return values.replaceFirst(with: value) }
    values.append(value)
    return nil
  }

  /// - Returns: The value that has no room any more with its time, which the caller releases.
  mutating func append(_ value: Value, at stamp: Any) -> (value: Value, stamp: Any)? {
    guard capacity > 0 else { return nil }
    let replaced = values.count >= capacity ? popFirst() : nil
    values.append(value)
    stamps.append(stamp)
    return replaced
  }

  /// The time of the oldest value, and its number.
  var oldest: (stamp: Any, number: UInt)? { stamps.first.map { ($0, firstNumber) } }

  /// Removes the oldest value if it has a number: it may have been removed already.
  ///
  /// - Returns: The removed value with its time, which the caller releases.
  mutating func removeOldest(number: UInt) -> (value: Value, stamp: Any)? {
    firstNumber == number ? popFirst() : nil
  }

  private mutating func popFirst() -> (value: Value, stamp: Any)? {
    guard let value = values.popFirst(), let stamp = stamps.popFirst() else { return nil }
    firstNumber &+= 1
    return (value, stamp)
  }

  /// Stores nothing from now on.
  ///
  /// - Returns: The stored values, which the caller releases.
  mutating func close() -> RingBuffer<Value> {
    capacity = 0
    defer { values.removeAll() }
    return values
  }

  /// What a new subscriber receives.
  mutating func valuesForSubscriber() -> [Value] {
    let values = values.elements
    if isForFirstSubscriber {
      capacity = 0
      self.values.removeAll()
    }
    return values
  }
}

/// How old values may become, without the type of the scheduler that measures it.
@usableFromInline
final class ReplayAge {
  let now: () -> Any
  let isExpired: (_ stamp: Any, _ now: Any) -> Bool

  init<S: Scheduler>(_ age: S.SchedulerTimeType.Stride, _ scheduler: S) {
    now = { scheduler.now }
    isExpired = { stamp, now in
      guard let stamp = stamp as? S.SchedulerTimeType, let now = now as? S.SchedulerTimeType else { return false }
      return stamp.distance(to: now) > age
    }
  }
}
