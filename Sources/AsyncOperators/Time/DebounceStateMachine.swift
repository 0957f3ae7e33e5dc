/// The state of a debounced element, without the element.
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

  /// Whether the consumer is inside `next()`.
  @usableFromInline var isDemanded = false
  /// When the latest element may be delivered; nil without an element.
  @usableFromInline var due: Instant?
  /// One timer serves all elements: it is set again where it was too early for the latest one.
  @usableFromInline var hasTimer = false
  /// Whether nothing is delivered anymore.
  @usableFromInline var hasEnded = false

  @inlinable
  init() {}

  /// An element has replaced the latest one.
  ///
  /// - Returns: Whether the timer has to be set.
  @inlinable
  mutating func received(due: Instant) -> Bool {
    self.due = due
    if hasTimer { return false }
    hasTimer = true
    return true
  }

  @inlinable
  mutating func demanded() {
    isDemanded = true
  }

  /// Whether the element may be delivered.
  ///
  /// - Parameter now: The time; `nil` if the clock could not sleep, so that nothing can be waited for.
  @inlinable
  func isDue(_ now: Instant?) -> Bool {
    guard let due else { return false }
    guard let now else { return true }
    return now >= due
  }

  /// The timer has ended.
  ///
  /// - Parameter now: The time; `nil` if the clock could not sleep, so that nothing can be waited for.
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

  /// The element has been delivered.
  @inlinable
  mutating func delivered() {
    due = nil
    isDemanded = false
  }
}
