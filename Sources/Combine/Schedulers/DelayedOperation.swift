import Dispatch
import Foundation
import InterflowPrimitives
import Synchronization

/// An operation that can be in a queue before its time, and becomes ready then.
final class DelayedOperation: Operation, @unchecked Sendable {  // `lock` guards `action` and `timer`.
  /// Where all of them become ready, so that they do so in the order of their dates.
  private static let clock = DispatchQueue(label: "interflow.delayed-operations")

  private let isDue = Atomic(false)

  // Guarded by `lock`: both. The action goes once it has been called, or is not to be called any more.
  private let lock = Lock()
  private var action: (() -> Void)?
  private var timer: (any DispatchSourceTimer)?

  init(_ action: @escaping () -> Void) {
    self.action = action
  }

  deinit {
    timer?.cancel()
  }

  /// Goes into a queue, to be run there after a date, which may have passed. The queue is kept until then.
  func enter(_ queue: OperationQueue, dueAt date: Date, tolerance: TimeInterval) {
    let delay = date.timeIntervalSinceNow
    if delay <= 0 { isDue.store(true, ordering: .releasing) }
    queue.addOperation(self)
    if delay > 0 { wait(delay, tolerance, keeping: queue) }
  }

  private func wait(_ delay: TimeInterval, _ tolerance: TimeInterval, keeping queue: OperationQueue) {
    let timer = DispatchSource.makeTimerSource(queue: Self.clock)
    let leeway = DispatchQueue.SchedulerTimeType.Stride.seconds(tolerance)
    timer.schedule(deadline: .now() + delay, leeway: .nanoseconds(Swift.max(leeway.magnitude, 0)))
    let kept = UncheckedTransfer(queue)
    timer.setEventHandler { [weak self] in
      withExtendedLifetime(kept) { self?.becomeReady() }
    }
    lock.lock()
    let isWanted = action != nil
    if isWanted { self.timer = timer }
    lock.unlock()
    timer.activate()
    if !isWanted { timer.cancel() }
  }

  private func becomeReady() {
    // The queue is notified once only, however this and a cancellation meet.
    guard !isDue.exchange(true, ordering: .acquiringAndReleasing) else { return }
    willChangeValue(forKey: "isReady")
    didChangeValue(forKey: "isReady")
    lock.lock()
    let timer = self.timer.take()
    lock.unlock()
    timer?.cancel()
  }

  override var isReady: Bool { isDue.load(ordering: .acquiring) && super.isReady }

  override func main() {
    takeAction()?()
  }

  /// Lets go of everything, and lets the queue get rid of this at once.
  override func cancel() {
    super.cancel()
    let action = takeAction()
    withExtendedLifetime(action) { becomeReady() }
  }

  private func takeAction() -> (() -> Void)? {
    lock.lock()
    let action = self.action.take()
    lock.unlock()
    return action
  }
}

/// A closure that a queue runs again and again: while it waits, its next run is an operation in the queue.
final class DelayedRepetition: @unchecked Sendable {  // `lock` guards `next`, and `Repetition` the closure.
  private let repetition: Repetition
  private let interval: TimeInterval
  private let tolerance: TimeInterval
  private let queue: OperationQueue

  // Guarded by `lock`: both.
  private let lock = Lock()
  private var next: DelayedOperation?
  private var isOver = false

  init(_ repetition: Repetition, every interval: TimeInterval, tolerance: TimeInterval, on queue: OperationQueue) {
    self.repetition = repetition
    self.interval = RunLoop.positive(interval)
    self.tolerance = tolerance
    self.queue = queue
  }

  func addNext(at date: Date) {
    let operation = DelayedOperation { [self] in
      let intervals = Swift.max(1, (-date.timeIntervalSinceNow / interval).rounded(.up))
      // First, so that the queue is not without one while the closure runs.
      addNext(at: date.addingTimeInterval(intervals * interval))
      repetition.run()
    }
    lock.lock()
    let isWanted = !isOver
    if isWanted { next = operation }
    lock.unlock()
    guard isWanted else { return }
    operation.enter(queue, dueAt: date, tolerance: tolerance)
  }

  func cancel() {
    repetition.cancel()
    lock.lock()
    let last = next.take()
    isOver = true
    lock.unlock()
    last?.cancel()
  }
}
