/// A scheduler that can be given the same closure again and again without making anything for each time.
@usableFromInline
protocol ReusesJobs: Scheduler {
  /// - Returns: What has the closure run once more, as `schedule(options:)` without options would.
  func reusing(_ action: @escaping () -> Void) -> () -> Void
}

extension ScheduledStage {
  /// Has jobs scheduled in the way that costs least, if the scheduler has one.
  @inlinable
  final func reuseJob() {
    guard options == nil, let scheduler = scheduler as? any ReusesJobs else { return }
    // Does not keep the stage alive, or it would never go; each time that it is scheduled does, until it has run.
    let stage = Unmanaged.passUnretained(self)
    scheduleAgain = scheduler.reusing { stage.takeRetainedValue().deliver() }
  }
}
