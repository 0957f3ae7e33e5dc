import InterflowPrimitives

/// An instant that a consumer sets, and that an input of its engine waits for.
@usableFromInline
final class Deadline<C: Clock>: @unchecked Sendable {
  /// Whether the clock sleeps, or has slept without the consumer having seen it, where only the consumer sets an instant.
  /// Only the consumer uses this; it is here, since copies of an iterator are one consumer.
  @usableFromInline @exclusivity(unchecked) var isSet = false

  // Guarded by `lock`: everything below it.
  private let lock = Lock()
  private var instant: C.Instant?
  private var waiter = WaitingTask()
  private var isCancelled = false
  private var hasClockFailed = false

  @usableFromInline init() {}

  /// Whether the clock could not sleep until the last instant, which counts as reached then.
  @usableFromInline
  var isOverdue: Bool {
    lock.lock()
    let hasClockFailed = hasClockFailed
    lock.unlock()
    return hasClockFailed
  }

  fileprivate func clockFailed() {
    lock.lock()
    hasClockFailed = true
    lock.unlock()
  }

  /// Sets the instant, only after the one before has been reached.
  @usableFromInline
  func set(_ instant: C.Instant) {
    lock.lock()
    self.instant = instant
    hasClockFailed = false
    let waiter = waiter.take()
    lock.unlock()
    waiter?.wake()
  }

  /// Waits until there is an instant, and takes it.
  ///
  /// - Returns: The instant; `nil` after the task has been cancelled.
  fileprivate func next(isolation: isolated (any Actor)?) async -> C.Instant? {
    await withTaskCancellationHandler(
      operation: {
        await withUnsafeContinuation(isolation: isolation) { park($0) }
      },
      onCancel: { cancel() },
      isolation: isolation)
    return take()
  }

  private func take() -> C.Instant? {
    lock.lock()
    let instant = instant.take()
    let isCancelled = isCancelled
    lock.unlock()
    return isCancelled ? nil : instant
  }

  private func park(_ continuation: UnsafeContinuation<Void, Never>) {
    lock.lock()
    let ready = waiter.park(continuation, unless: instant != nil || isCancelled)
    lock.unlock()
    ready?.wake()
  }

  private func cancel() {
    lock.lock()
    isCancelled = true
    let waiter = waiter.take()
    lock.unlock()
    waiter?.wake()
  }
}

/// An element whenever a deadline has been reached. It never ends, unless the task is cancelled.
@usableFromInline
struct DeadlineSequence<C: Clock>: AsyncSequence, Sendable {
  @usableFromInline typealias Element = C.Instant
  @usableFromInline typealias Failure = Never

  private let deadline: Deadline<C>
  private let clock: C
  private let tolerance: C.Instant.Duration?

  @usableFromInline
  init(_ deadline: Deadline<C>, _ clock: C, tolerance: C.Instant.Duration?) {
    self.deadline = deadline
    self.clock = clock
    self.tolerance = tolerance
  }

  @usableFromInline
  func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

  @usableFromInline
  struct Iterator: AsyncIteratorProtocol {
    fileprivate let sequence: DeadlineSequence

    @usableFromInline
    mutating func next() async -> C.Instant? { await next(isolation: nil) }

    @usableFromInline
    mutating func next(isolation actor: isolated (any Actor)?) async -> C.Instant? {
      guard let instant = await sequence.deadline.next(isolation: actor) else { return nil }
      do {
        try await sequence.clock.sleep(until: instant, tolerance: sequence.tolerance)
      } catch {
        if Task.isCancelled { return nil }
        // No consumer may wait for such a clock forever.
        sequence.deadline.clockFailed()
      }
      return instant
    }
  }
}
