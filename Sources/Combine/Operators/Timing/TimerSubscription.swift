import InterflowPrimitives

/// The base class of operators that set a timer for each value, and cancel the timer of the value before.
@usableFromInline
class TimerSubscription<Context: Scheduler, Downstream: Subscriber>: ScheduledSubscription<Context, Downstream> {
  @usableFromInline final let interval: Context.SchedulerTimeType.Stride

  // Guarded by `lock`: both. A timer that fires is ignored unless its generation is the latest.
  @usableFromInline @exclusivity(unchecked) final var generation: UInt64 = 0
  @usableFromInline @exclusivity(unchecked) final var timer: (any Cancellable)?

  @usableFromInline
  init(
    _ downstream: Downstream, _ name: OperatorName, _ interval: Context.SchedulerTimeType.Stride,
    _ scheduler: Context, _ options: Context.SchedulerOptions?, countsDemand: Bool = false
  ) {
    self.interval = interval
    super.init(downstream, name, scheduler, options, countsDemand: countsDemand)
  }

  /// The timer has fired. With the lock, which this releases: so no value can arrive between the check of the
  /// generation and the changes that this makes.
  ///
  /// - Parameter timer: The timer, to be cancelled outside the lock.
  @usableFromInline
  func timeIsUpUnlocking(_ timer: (any Cancellable)?) {
    preconditionFailure("a subclass must override timeIsUpUnlocking(_:)")
  }

  /// With the lock: invalidates the current timer.
  ///
  /// - Returns: The generation of the next timer.
  @inlinable
  final func nextGeneration() -> UInt64 {
    lock.assertHeld()
    generation &+= 1
    return generation
  }

  /// Sets a timer and cancels the one before.
  @inlinable
  final func setTimer(_ generation: UInt64) {
    // A scheduler may reject a repetition without a period, and a timer that fires immediately needs no cancellation.
    guard interval > .zero else {
      return scheduler.schedule(after: scheduler.now, tolerance: scheduler.minimumTolerance, options: options) {
        self.timerDidFire(generation)
      }
    }
    // A repeating closure, because only that can be cancelled. It is cancelled when it has run once.
    let timer = scheduler.schedule(
      after: scheduler.now.advanced(by: interval), interval: interval, tolerance: scheduler.minimumTolerance,
      options: options
    ) {
      self.timerDidFire(generation)
    }
    store(timer, generation)
  }

  @usableFromInline
  final func store(_ timer: any Cancellable, _ generation: UInt64) {
    lock.lock()
    // The timer may have fired already, on this thread or on another.
    let isCurrent = generation == self.generation
    let superfluous = isCurrent ? self.timer : timer
    if isCurrent { self.timer = timer }
    lock.unlock()
    superfluous?.cancel()
  }

  @usableFromInline
  final func timerDidFire(_ generation: UInt64) {
    lock.lock()
    guard generation == self.generation, downstream != nil else {
      lock.unlock()
      return
    }
    _ = nextGeneration()
    timeIsUpUnlocking(self.timer.take())
  }

  @usableFromInline
  override func releasePending() {
    lock.lock()
    _ = nextGeneration()
    let timer = self.timer.take()
    lock.unlock()
    timer?.cancel()
  }
}
