import InterflowPrimitives

/// The latest element of a debounced sequence, and one behind it, between the base's task and the consumer.
@usableFromInline
final class DebounceStorage<Element, C: Clock>: @unchecked Sendable {
  // Guarded by `lock`: `machine`, `latest` and `behind`.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var machine = DebounceStateMachine<C.Instant>()
  @usableFromInline @exclusivity(unchecked) var latest: Element?
  @usableFromInline @exclusivity(unchecked) var behind: Element?
  @usableFromInline let clock: C
  @usableFromInline let interval: C.Instant.Duration
  @usableFromInline let deadline = Deadline<C>()

  @inlinable
  init(_ clock: C, _ interval: C.Instant.Duration) {
    self.clock = clock
    self.interval = interval
  }

  // MARK: The input's task

  /// - Returns: Whether the next element may be taken, which would replace this one.
  @inlinable
  @inline(__always)
  func receive(_ element: Element) -> Bool {
    let now = clock.now
    let due = now.saturatingAdvanced(by: interval)
    lock.lock()
    if machine.hasEnded {
      lock.unlock()
      return false
    }
    var replaced: Element?
    if machine.received(due: due, at: now) {
      replaced = latest
      latest = element
    } else {
      behind = element
    }
    let setsTimer = machine.setsTimer()
    let takesNext = machine.takesNext(at: now)
    lock.unlock()
    if setsTimer { deadline.set(due) }
    releaseOutsideLock(replaced)
    return takesNext
  }

  // MARK: The consumer

  /// The consumer calls `next()`.
  ///
  /// - Returns: The element whose interval has passed while the consumer was away. If there is none, an element may replace
  ///   the latest one until the consumer has that.
  @inlinable
  func demand() -> Element? {
    lock.lock()
    let hasElement = latest != nil
    if !hasElement { machine.demanded() }
    lock.unlock()
    guard hasElement else { return nil }
    let now = deadline.isOverdue ? nil : clock.now
    lock.lock()
    defer { lock.unlock() }
    if machine.isDue(now) { return takeLatest() }
    machine.demanded()
    return nil
  }

  @inlinable
  func takeLatest() -> Element? {
    lock.assertHeld()
    machine.delivered()
    let element = latest
    latest = behind.take()
    return element
  }

  /// The timer has ended while the consumer waits.
  ///
  /// - Returns: The element that no other one has followed.
  @inlinable
  func timerEnded() -> Element? {
    let now = deadline.isOverdue ? nil : clock.now
    lock.lock()
    let action = machine.timerEnded(now)
    let element: Element? = if case .deliver = action { latest.take() } else { nil }
    lock.unlock()
    if case .setTimer(let due) = action { deadline.set(due) }
    return element
  }

  /// The timer has ended for an element that the consumer has without it.
  @inlinable
  func timerPassed() {
    lock.lock()
    let due = machine.timerPassed()
    lock.unlock()
    if let due { deadline.set(due) }
  }

  /// Nothing is delivered anymore but the element that no other one can follow.
  @inlinable
  func end() -> Element? {
    lock.lock()
    machine.hasEnded = true
    let element = takeLatest()
    let dropped = latest.take()
    lock.unlock()
    releaseOutsideLock(dropped)
    return element
  }
}
