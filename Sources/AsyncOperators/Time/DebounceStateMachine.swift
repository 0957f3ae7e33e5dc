/// The state of debounced elements, without the elements: of the latest one, and of one behind it.
///
/// While the consumer is away, the latest element is replaced until its interval has passed. Then it is kept, and the next
/// one is behind it; no further element is taken.
@usableFromInline
@frozen
struct DebounceStateMachine<Instant: InstantProtocol> {
  /// What to do with the element after the timer.
  @usableFromInline
  @frozen
  enum TimerAction {
    case deliver
    /// It is too early for the latest element.
    case setTimer(Instant)
    case nothing
  }

  /// Whether the consumer is inside `next()`. Then there is no element behind the latest one.
  @usableFromInline var isDemanded = false
  /// When the latest element may be delivered; nil without an element.
  @usableFromInline var due: Instant?
  /// When the one behind it may be; nil without one.
  @usableFromInline var dueBehind: Instant?
  /// One timer serves all elements: it is set again where it was too early for the latest one.
  @usableFromInline var hasTimer = false
  /// Whether nothing is delivered anymore.
  @usableFromInline var hasEnded = false

  @inlinable
  init() {}

  /// An element has arrived.
  ///
  /// - Returns: Whether it replaces the latest one; otherwise, it is behind that.
  @inlinable
  mutating func received(due newDue: Instant, at now: Instant) -> Bool {
    if !isDemanded, let due, now >= due {
      dueBehind = newDue
      return false
    }
    due = newDue
    return true
  }

  /// Whether the timer has to be set for an element that has arrived.
  @inlinable
  mutating func setsTimer() -> Bool {
    if hasTimer { return false }
    hasTimer = true
    return true
  }

  /// Whether another element may replace the latest one, so that it may be taken.
  @inlinable
  func takesNext(at now: Instant) -> Bool {
    guard !isDemanded, let due else { return true }
    return dueBehind == nil && now < due
  }

  @inlinable
  mutating func demanded() {
    isDemanded = true
  }

  /// Whether the latest element may be delivered.
  ///
  /// - Parameter now: The time; `nil` if the clock cannot sleep, so that nothing can be waited for.
  @inlinable
  func isDue(_ now: Instant?) -> Bool {
    guard let due else { return false }
    guard let now, dueBehind == nil else { return true }
    return now >= due
  }

  /// The timer has ended while the consumer waits.
  ///
  /// - Parameter now: The time; `nil` if the clock cannot sleep, so that nothing can be waited for.
  @inlinable
  mutating func timerEnded(_ now: Instant?) -> TimerAction {
    guard let due else {
      hasTimer = false
      return .nothing
    }
    guard isDue(now) else { return .setTimer(due) }
    hasTimer = false
    delivered()
    return .deliver
  }

  /// The timer has ended for an element that has been delivered without it.
  ///
  /// - Returns: When it has to end for the one that is the latest now.
  @inlinable
  mutating func timerPassed() -> Instant? {
    hasTimer = due != nil
    return due
  }

  /// The latest element has been delivered. That behind it is the latest now.
  @inlinable
  mutating func delivered() {
    due = dueBehind
    dueBehind = nil
    isDemanded = false
  }
}
