import InterflowPrimitives

/// Holds one value until a time has passed, and then gives it to a closure. A value that is set meanwhile replaces it,
/// and its time starts again.
@usableFromInline
final class ValueTimer<Value, Context: Scheduler> {
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?
  @usableFromInline let interval: Context.SchedulerTimeType.Stride

  // Guarded by `lock`: everything below it. `number` counts the values that have been set.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var value: Value?
  @usableFromInline @exclusivity(unchecked) var number: UInt64 = 0
  @usableFromInline @exclusivity(unchecked) var timer: (any Cancellable)?
  @usableFromInline @exclusivity(unchecked) var isCancelled = false

  @inlinable
  init(
    _ interval: Context.SchedulerTimeType.Stride, _ scheduler: Context, _ options: Context.SchedulerOptions?
  ) {
    self.interval = interval
    self.scheduler = scheduler
    self.options = options
  }

  /// Sets a value. Does nothing after ``cancel()``.
  ///
  /// - Parameters:
  ///   - commit: Called with the value when the time has passed, unless another value has been set. It is called with
  ///     the lock, so that values are committed in the order in which they were set, and calls nothing out. Returns a
  ///     value to release.
  ///   - action: Called after that, without the lock.
  @inlinable
  func set(_ value: Value, _ commit: @escaping (Value) -> Value? = { _ in nil }, then action: @escaping () -> Void) {
    lock.lock()
    guard !isCancelled else { return lock.unlock() }
    let replaced = self.value
    self.value = value
    number &+= 1
    let number = self.number
    lock.unlock()
    releaseOutsideLock(replaced)
    // A scheduler may reject a repetition without a period, and a closure that runs immediately needs no cancellation.
    guard interval > .zero else {
      return scheduler.schedule(after: scheduler.now, tolerance: scheduler.minimumTolerance, options: options) {
        self.fire(number, commit, action)
      }
    }
    // A repeating closure, because only that can be cancelled. It is cancelled when it has run once.
    let timer = scheduler.schedule(
      after: scheduler.now.advanced(by: interval), interval: interval, tolerance: scheduler.minimumTolerance,
      options: options
    ) {
      self.fire(number, commit, action)
    }
    store(timer, number)
  }

  /// Releases the value, cancels the timer, and ignores values from now on.
  @usableFromInline
  func cancel() {
    lock.lock()
    isCancelled = true
    let (value, timer) = (self.value.take(), self.timer.take())
    lock.unlock()
    timer?.cancel()
    releaseOutsideLock(value)
  }

  @inlinable
  func fire(_ number: UInt64, _ commit: (Value) -> Value?, _ action: () -> Void) {
    lock.lock()
    guard number == self.number, let value else { return lock.unlock() }
    self.value = nil
    let timer = self.timer
    self.timer = nil
    let replaced = commit(value)
    lock.unlock()
    timer?.cancel()
    releaseOutsideLock(replaced)
    action()
  }

  /// Stores the timer of a value, and cancels the one before.
  @inlinable
  func store(_ timer: any Cancellable, _ number: UInt64) {
    lock.lock()
    // The timer may have fired already, on this thread or on another.
    var isCurrent = false
    if number == self.number, case .some = value { isCurrent = true }
    let superfluous = isCurrent ? self.timer : timer
    if isCurrent { self.timer = timer }
    lock.unlock()
    superfluous?.cancel()
  }
}
