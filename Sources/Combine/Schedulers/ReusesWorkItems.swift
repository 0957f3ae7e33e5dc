/// A scheduler that can run the same closure repeatedly without an allocation each time.
@usableFromInline
protocol ReusesWorkItems: Scheduler {
  /// - Returns: A closure that schedules `action` each time it is called, as `schedule(options:)` does without options.
  func reusing(_ action: @escaping () -> Void) -> () -> Void
}
