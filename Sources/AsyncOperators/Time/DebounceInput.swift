import InterflowPrimitives

/// The base of a debounced sequence: replaces the latest element by itself while the consumer waits.
@usableFromInline
final class DebounceInput<Base: AsyncSequence, C: Clock>: AnyFanInInput, @unchecked Sendable {
  // Guarded by `lock`: `machine` and `latest`.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var machine = DebounceStateMachine<C.Instant>()
  @usableFromInline @exclusivity(unchecked) var latest: Base.Element?
  @usableFromInline let iterator: IteratorTransfer<Base.AsyncIterator>
  @usableFromInline let clock: C
  @usableFromInline let interval: C.Instant.Duration
  @usableFromInline let deadline = Deadline<C>()

  @inlinable
  init(_ base: Base, _ clock: C, _ interval: C.Instant.Duration) {
    iterator = IteratorTransfer(base.makeAsyncIterator())
    self.clock = clock
    self.interval = interval
    super.init { await unsafeDowncast($0, to: DebounceInput.self).iterate() }
  }

  // MARK: The input's task

  @inlinable
  override func discard() {
    iterator.discard()
  }

  @inlinable
  func iterate() async {
    guard let engine else { return }
    var iterator = iterator.take()
    let index = index
    var replaced = 0
    while true {
      do throws(Base.Failure) {
        guard let next = try await iterator.next(isolation: nil) else { return engine.finished(index) }
        if !receive(next) {
          guard await requested({ engine.received(index, $0) }) else { return }
        }
      } catch {
        failure = error
        return engine.failed(index)
      }
      // Lets other tasks run, though the base always has an element. Nor may it look at cancellation.
      replaced &+= 1
      if replaced & 63 == 0 {
        if Task.isCancelled { return }
        await Task.yield()
      }
    }
  }

  /// - Returns: Whether the consumer waits, so that the next element may be taken.
  @inlinable
  func receive(_ element: Base.Element) -> Bool {
    let due = clock.now.advanced(by: interval)
    lock.lock()
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

  @inlinable
  func demand() {
    lock.lock()
    machine.demanded()
    lock.unlock()
  }

  /// The timer has ended.
  ///
  /// - Returns: The element that no other one has followed.
  @inlinable
  func timerEnded() -> Base.Element? {
    let now = deadline.isOverdue ? nil : clock.now
    lock.lock()
    let action = machine.timerEnded(now)
    let element: Base.Element? = if case .deliver = action { latest.take() } else { nil }
    lock.unlock()
    if case .setTimer(let due) = action { deadline.set(due) }
    return element
  }

  /// The element that no other one can follow.
  @inlinable
  func last() -> Base.Element? {
    lock.lock()
    let element = latest.take()
    machine.delivered()
    lock.unlock()
    return element
  }
}
