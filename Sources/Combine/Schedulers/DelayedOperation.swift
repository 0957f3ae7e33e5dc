#if INTERFLOW_FOUNDATION
  import Dispatch
  import Foundation
  import InterflowPrimitives
  import Synchronization

  /// An operation that is added to a queue before it is due, and becomes ready when it is.
  final class DelayedOperation: Operation, @unchecked Sendable {  // `lock` guards `action` and `timer`.
    /// The queue on which all delayed operations become ready, in the order of their dates.
    private static let clock = DispatchQueue(label: "interflow.delayed-operations")

    private let isDue = Atomic(false)
    private let isKept: Bool

    // Guarded by `lock`: everything below it. The action is released when it has been called, and when this is cancelled.
    private let lock = Lock()
    private var action: (() -> Void)?
    private var timer: (any DispatchSourceTimer)?

    /// - Parameter isKept: Whether the action is called at once, and not dropped, when this is cancelled.
    init(isKept: Bool = false, _ action: @escaping () -> Void) {
      self.isKept = isKept
      self.action = action
    }

    deinit {
      timer?.cancel()
    }

    /// Adds the operation to a queue, to run after a date, which may have passed. The queue is retained until then.
    func add(to queue: OperationQueue, dueAt date: Date, tolerance: TimeInterval) {
      let delay = date.timeIntervalSinceNow
      if delay <= 0 { isDue.store(true, ordering: .releasing) }
      queue.addOperation(self)
      if delay > 0 { startTimer(delay, tolerance, retaining: queue) }
    }

    private func startTimer(_ delay: TimeInterval, _ tolerance: TimeInterval, retaining queue: OperationQueue) {
      let timer = DispatchSource.makeTimerSource(queue: Self.clock)
      let leeway = DispatchQueue.SchedulerTimeType.Stride.seconds(tolerance)
      timer.schedule(deadline: .now() + delay, leeway: .nanoseconds(Swift.max(leeway.magnitude, 0)))
      let retained = UncheckedTransfer(queue)
      timer.setEventHandler { [weak self] in
        withExtendedLifetime(retained) { self?.becomeReady() }
      }
      lock.lock()
      let isPending = action != nil
      if isPending { self.timer = timer }
      lock.unlock()
      timer.activate()
      if !isPending { timer.cancel() }
    }

    private func becomeReady() {
      // The queue is notified once, also if the timer fires while another thread cancels.
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

    /// Releases the action, and becomes ready, so that the queue removes this at once; or calls it at once.
    override func cancel() {
      if isKept { return becomeReady() }
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

  /// A closure that a queue runs repeatedly. Its next run is always an operation in the queue.
  final class DelayedRepetition: @unchecked Sendable {  // `lock` guards `next`, and `Repetition` the closure.
    private let repetition: Repetition
    private let interval: TimeInterval
    private let tolerance: TimeInterval
    private let queue: OperationQueue

    // Guarded by `lock`: everything below it.
    private let lock = Lock()
    private var next: DelayedOperation?
    private var isCancelled = false

    init(_ repetition: Repetition, every interval: TimeInterval, tolerance: TimeInterval, on queue: OperationQueue) {
      self.repetition = repetition
      self.interval = RunLoop.positive(interval)
      self.tolerance = tolerance
      self.queue = queue
    }

    func addNext(at date: Date) {
      let operation = DelayedOperation { [self] in
        let intervals = Swift.max(1, (-date.timeIntervalSinceNow / interval).rounded(.up))
        // Before the closure runs, so that the queue always contains the next run.
        addNext(at: date.addingTimeInterval(intervals * interval))
        repetition.run()
      }
      lock.lock()
      let isCancelled = self.isCancelled
      if !isCancelled { next = operation }
      lock.unlock()
      guard !isCancelled else { return }
      operation.add(to: queue, dueAt: date, tolerance: tolerance)
    }

    func cancel() {
      repetition.cancel()
      lock.lock()
      let last = next.take()
      isCancelled = true
      lock.unlock()
      last?.cancel()
    }
  }
#endif
