import InterflowPrimitives

/// The base class of operators that set a timer with each value, in place of the one before.
@usableFromInline
class TimerSubscription<Context: Scheduler, Downstream: Subscriber>: ScheduledSubscription<Context, Downstream> {
  @usableFromInline final let interval: Context.SchedulerTimeType.Stride

  // Guarded by `lock`: both. A timer counts while its generation is the latest.
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

  /// The time is up.
  ///
  /// With the lock, which it gives back: so that nothing comes between this and what the time was for.
  ///
  /// - Parameter timer: To be cancelled without the lock.
  @usableFromInline
  func timeIsUpUnlocking(_ timer: (any Cancellable)?) {
    preconditionFailure("an operator has to say what it does when the time is up")
  }

  /// With the lock: invalidates the timer that is set.
  ///
  /// - Returns: The generation of the next.
  @inlinable
  final func nextGeneration() -> UInt64 {
    lock.assertHeld()
    generation &+= 1
    return generation
  }

  /// Sets a timer, and cancels the one before.
  @inlinable
  final func setTimer(_ generation: UInt64) {
    // A repetition without a period may be refused by the scheduler, and what fires at once needs no cancellation.
    guard interval > .zero else {
      return scheduler.schedule(after: scheduler.now, tolerance: scheduler.minimumTolerance, options: options) {
        self.timerDidFire(generation)
      }
    }
    // The kind that repeats, which can be cancelled: it is, when it has fired once.
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
    // It may have fired already, where it was set or on another thread.
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
