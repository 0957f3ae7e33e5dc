public import Dispatch

/// A scheduler whose scheduled closures a program can cancel, except those that are scheduled by these methods.
///
/// Operators use them: a program that cancels the closures that it knows of must not lose the values on their way through
/// the same scheduler.
@usableFromInline
protocol KeepsWork<SchedulerTimeType>: AnyObject, Scheduler {
  /// Runs a closure as soon as possible.
  func scheduleKept(_ action: @escaping () -> Void)

  /// Runs a closure after a date, or as soon as the program cancels it.
  func scheduleKept(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, _ action: @escaping () -> Void)
}

extension Scheduler {
  /// This scheduler, if a program could cancel the closures that an operator schedules.
  @inlinable var keepingWork: (any KeepsWork<SchedulerTimeType>)? {
    // The most frequent scheduler is spared the dynamic cast.
    Self.self == DispatchQueue.self ? nil : self as? any KeepsWork<SchedulerTimeType>
  }
}
