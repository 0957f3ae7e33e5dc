import InterflowPrimitives

/// Joins several inputs for one consumer: the engine of `merge`, `zip` and `combineLatest`.
///
/// Each input has a task of its own, which the first ``poll()`` starts. While the consumer is inside ``poll()`` the
/// tasks run on its thread, one at a time, so that inputs whose elements are available cost no change of threads.
@usableFromInline
final class FanIn: @unchecked Sendable {
  // Guarded by `lock`: everything below it. Continuations are resumed, tasks cancelled and inputs released without it.
  @usableFromInline typealias Waiter = UnsafeContinuation<Bool, Never>

  /// How many jobs of the inputs run on the consumer's thread before it waits: inputs that never have an element and
  /// never wait for one would keep the thread.
  private static let jobLimit = 64

  private let executor = InlineExecutor()
  private let lock = Lock()
  @exclusivity(unchecked) private var machine: FanInStateMachine
  /// The inputs, until they are started.
  @exclusivity(unchecked) private var inputs: [FanInPump]
  @exclusivity(unchecked) private var tasks: [Task<Void, Never>] = []
  @exclusivity(unchecked) private var waiters: ContiguousArray<Waiter?>
  @exclusivity(unchecked) private var consumer: UnsafeContinuation<Void, Never>?

  /// Makes an engine for inputs, which have this as theirs from now on.
  @usableFromInline
  init(_ mode: FanInStateMachine.Mode, _ inputs: [FanInPump]) {
    machine = FanInStateMachine(mode, count: inputs.count)
    waiters = ContiguousArray(repeating: nil, count: inputs.count)
    self.inputs = inputs
    for (index, input) in inputs.enumerated() { input.join(self, at: index) }
  }

  // MARK: The consumer

  /// What the consumer gets next. It MUST wait before it asks again if nothing is available.
  @usableFromInline
  func poll() -> FanInEvent {
    if Task.isCancelled {
      cancel()
      return .end
    }
    lock.lock()
    let inputs = inputs
    self.inputs = []
    let event = inputs.isEmpty ? machine.take() : .pending
    lock.unlock()
    if event != .pending { return event }
    executor.begin()
    if !inputs.isEmpty { start(inputs) }
    return drive()
  }

  /// Starts the inputs' tasks. Every input is asked at once in the beginning, whether or not another one is ready.
  private func start(_ inputs: [FanInPump]) {
    // No task runs before all are known: this thread drives their executor.
    let tasks = inputs.map { input in Task(executorPreference: executor) { await input.run() } }
    lock.lock()
    self.tasks = tasks
    lock.unlock()
    for _ in tasks { _ = executor.runNext() }
  }

  private func drive() -> FanInEvent {
    var jobs = 0
    var event = FanInEvent.pending
    while true {
      lock.lock()
      event = machine.take()
      if event != .pending {
        lock.unlock()
        break
      }
      let input = machine.ask()
      let waiter = input.flatMap { waiters[$0].take() }
      lock.unlock()
      waiter?.resume(returning: true)
      if jobs < Self.jobLimit, executor.runNext() {
        jobs += 1
      } else if input == nil {
        break
      }
    }
    switch event {
    case .end, .failure:  // The tasks have been told to stop, and need little for that.
      while jobs < Self.jobLimit, executor.runNext() { jobs += 1 }
    case .element, .pending: break
    }
    executor.end()
    return event
  }

  /// Waits until ``poll()`` has something.
  @usableFromInline
  func wait(isolation: isolated (any Actor)?) async {
    await withTaskCancellationHandler(
      operation: {
        await withUnsafeContinuation(isolation: isolation) { continuation in
          lock.lock()
          if machine.isReady {
            lock.unlock()
            continuation.resume()
          } else {
            precondition(consumer == nil, "next() was called while another call of it waits")
            consumer = continuation
            lock.unlock()
          }
        }
      },
      onCancel: { cancel() },
      isolation: isolation)
  }

  /// Stops all inputs, and ends the consumer's wait.
  @usableFromInline
  func cancel() {
    lock.lock()
    machine.cancelled()
    let inputs = inputs
    self.inputs = []
    stopUnlocking()
    releaseOutsideLock(inputs)
  }

  /// Cancels the tasks and resumes all that wait. Releases the lock, which the caller has taken.
  private func stopUnlocking() {
    let tasks = tasks
    self.tasks = []
    let consumer = consumer.take()
    var stopped: [Waiter] = []
    for index in waiters.indices {
      if let waiter = waiters[index].take() { stopped.append(waiter) }
    }
    lock.unlock()
    for task in tasks { task.cancel() }
    for waiter in stopped { waiter.resume(returning: false) }
    consumer?.resume()
  }

  // MARK: The inputs

  /// An input's element is in its place, and its task waits until it is asked for the next one.
  ///
  /// The element can be seen and its input be resumed from the same moment on, so that nobody can miss either.
  ///
  /// - Parameter waiter: Resumed with whether the input is asked; otherwise, it stops.
  @usableFromInline
  func received(_ input: Int, _ waiter: Waiter) {
    lock.lock()
    guard let order = machine.received(input) else {
      lock.unlock()
      return waiter.resume(returning: false)
    }
    waiters[input] = waiter
    let consumer = order == .resumeConsumer ? consumer.take() : nil
    lock.unlock()
    consumer?.resume()
  }

  @usableFromInline
  func finished(_ input: Int) {
    lock.lock()
    performUnlocking(machine.finished(input))
  }

  @usableFromInline
  func failed(_ input: Int) {
    lock.lock()
    performUnlocking(machine.failed(input))
  }

  private func performUnlocking(_ order: FanInStateMachine.Order) {
    if order == .stop { stopUnlocking() } else { lock.unlock() }
  }
}
