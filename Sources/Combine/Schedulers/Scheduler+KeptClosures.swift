#if INTERFLOW_FOUNDATION
  public import Foundation
#endif

/// What operators schedule: a program that cancels what it has itself added to an `OperationQueue` MUST NOT lose the values
/// on their way through the same queue.
extension Scheduler {
  /// Runs a closure as soon as possible, also where `cancelAllOperations()` is called meanwhile.
  @inlinable
  func scheduleKept(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    #if INTERFLOW_FOUNDATION
      if let queue = operationQueue { return queue.addKept(action) }
    #endif
    schedule(options: options, action)
  }

  /// Runs a closure after a date, or as soon as `cancelAllOperations()` is called.
  @inlinable
  func scheduleKept(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    #if INTERFLOW_FOUNDATION
      if let queue = operationQueue, let date = date as? OperationQueue.SchedulerTimeType,
        let tolerance = tolerance as? OperationQueue.SchedulerTimeType.Stride
      {
        return queue.addKept(after: date, tolerance: tolerance, action)
      }
    #endif
    schedule(after: date, tolerance: tolerance, options: options, action)
  }

  #if INTERFLOW_FOUNDATION
    /// Known from the type, so that it costs other schedulers nothing: whether a value conforms to a protocol, or is of
    /// another type, takes the runtime thousands of instructions.
    @inlinable var operationQueue: OperationQueue? {
      Self.self is OperationQueue.Type ? self as? OperationQueue : nil
    }
  #endif
}
