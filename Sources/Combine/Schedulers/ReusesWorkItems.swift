/// A scheduler that can run the same closure again and again without allocating anything for each time.
@usableFromInline
protocol ReusesWorkItems: Scheduler {
  /// - Returns: A closure that schedules `action` once more, as `schedule(options:)` without options would.
  func reusing(_ action: @escaping () -> Void) -> () -> Void
}
