/// A scheduler that can run the same closure again and again without allocating anything for each time.
@usableFromInline
protocol ReusesJobs: Scheduler {
  /// - Returns: A closure that schedules `action` once more, as `schedule(options:)` without options would.
  func reusing(_ action: @escaping () -> Void) -> () -> Void
}

extension ScheduledSubscription {
  /// Schedules deliveries in the way that costs least, if the scheduler has one.
  @inlinable
  final func reuseJob() {
    guard options == nil, let scheduler = scheduler as? any ReusesJobs else { return }
    // Does not keep the stage alive, or it would never be released; each scheduled run does, until it has run.
    let stage = Unmanaged.passUnretained(self)
    scheduleAgain = scheduler.reusing { stage.takeRetainedValue().deliver() }
  }
}
