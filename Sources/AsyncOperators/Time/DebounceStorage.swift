import InterflowPrimitives

/// The latest element of a debounced sequence, between its base's task and the consumer.
@usableFromInline
final class DebounceStorage<Element, C: Clock>: @unchecked Sendable {
  // Guarded by `lock`: `machine` and `latest`.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var machine = DebounceStateMachine<C.Instant>()
  @usableFromInline @exclusivity(unchecked) var latest: Element?
  @usableFromInline let clock: C
  @usableFromInline let interval: C.Instant.Duration
  @usableFromInline let deadline = Deadline<C>()

  @inlinable
  init(_ clock: C, _ interval: C.Instant.Duration) {
    self.clock = clock
    self.interval = interval
  }

  // MARK: The input's task

  /// - Returns: Whether the consumer waits, so that the next element may be taken.
  @inlinable
  @inline(__always)
  func receive(_ element: Element) -> Bool {
    let due = clock.now.saturatingAdvanced(by: interval)
    lock.lock()
    if machine.hasEnded {
      lock.unlock()
      return false
    }
    let replaced = latest
    latest = element
    let setsTimer = machine.received(due: due)
    let isDemanded = machine.isDemanded
    lock.unlock()
    if setsTimer { deadline.set(due) }
    releaseOutsideLock(replaced)
    return isDemanded
  }

  // MARK: The consumer

  /// The consumer calls `next()`.
  ///
  /// - Returns: The element that no other one has followed while the consumer was away: from now on, one may replace it.
  @inlinable
  func demand() -> Element? {
    lock.lock()
    let hasElement = latest != nil
    if !hasElement { machine.demanded() }
    lock.unlock()
    guard hasElement else { return nil }
    // Until the next element is requested, the input does not replace this one.
    let now = deadline.isOverdue ? nil : clock.now
    lock.lock()
    defer { lock.unlock() }
    if machine.isDue(now) {
      machine.delivered()
      return latest.take()
    }
    machine.demanded()
    return nil
  }

  /// The timer has ended.
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

  /// Nothing is delivered anymore but the element that no other one can follow.
  @inlinable
  func end() -> Element? {
    lock.lock()
    machine.hasEnded = true
    let element = latest.take()
    machine.delivered()
    lock.unlock()
    return element
  }
}
