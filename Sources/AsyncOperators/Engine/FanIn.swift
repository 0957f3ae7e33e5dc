import InterflowPrimitives

/// Joins several inputs for one consumer: the engine of `merge`, `zip`, `combineLatest`, `withLatestFrom`, `race`,
/// `prefix` and `drop(untilOutputFrom:)`, `chunks` with a signal, `debounce`, `timeout`, and of the operators named
/// `flatMap…`. What differs between them is their ``FanInRule``, and what their inputs do with an element.
///
/// Each input has a task of its own, which the first ``advance(isolation:)`` starts. It runs on the task executor that
/// the consumer's task prefers, or on the global one, and never on the consumer's thread: an input may compute, block, or
/// never deliver. Nobody waits for the tasks; they are cancelled when the consumer is, or releases its handle.
@usableFromInline
final class FanIn: @unchecked Sendable {
  @usableFromInline typealias Waiter = UnsafeContinuation<Bool, Never>

  /// Whether the first input starts others.
  private let hasInnerInputs: Bool
  /// The inner input of the element that the consumer gets. Only the consumer uses this.
  @exclusivity(unchecked) private var delivered: AnyFanInInput?
  /// Only the consumer uses this.
  @exclusivity(unchecked) private var hasStarted = false
  /// Set before the first task is started.
  @exclusivity(unchecked) private var executor: (any TaskExecutor)?

  private let lock = Lock()
  // Guarded by `lock`: everything below it. Continuations are resumed, tasks cancelled and inputs released without it.
  @exclusivity(unchecked) private var machine: FanInStateMachine
  /// That of the first input that has failed, until the consumer takes it.
  @exclusivity(unchecked) private var failure: (any Error)?
  /// The inputs, until they are started.
  @exclusivity(unchecked) private var inputs: [AnyFanInInput]
  @exclusivity(unchecked) private var tasks: [Task<Void, Never>] = []
  @exclusivity(unchecked) private var waiters: ContiguousArray<Waiter?>
  @exclusivity(unchecked) private var consumer = WaitingTask()
  /// The inner inputs and their tasks, by index. Those that have ended are nil.
  @exclusivity(unchecked) private var inner: ContiguousArray<AnyFanInInput?> = []
  @exclusivity(unchecked) private var innerTasks: ContiguousArray<Task<Void, Never>?> = []

  /// Makes an engine for inputs, which have this as theirs from now on.
  ///
  /// - Parameter limit: How many inner inputs there are at most.
  @usableFromInline
  init(_ rule: FanInRule, _ inputs: [AnyFanInInput], limit: Int = .max) {
    machine = FanInStateMachine(rule, count: inputs.count, limit: limit)
    hasInnerInputs = rule.inner != .none
    waiters = ContiguousArray(repeating: nil, count: inputs.count)
    self.inputs = inputs
    for (index, input) in inputs.enumerated() { input.join(self, at: index) }
  }

  // MARK: The consumer

  /// What the consumer gets next, if it is available; `pending` otherwise.
  @usableFromInline
  func poll() -> FanInEvent {
    if Task.isCancelled {
      cancel()
      return .end
    }
    lock.lock()
    let event = machine.take()
    if hasInnerInputs, case .element(let input) = event { delivered = input < inner.count ? inner[input] : nil }
    var waiter: Waiter?
    if machine.rule.requestsAhead, case .element(let input) = event { waiter = waiters[input].take() }
    lock.unlock()
    waiter?.wake(returning: true)
    return event
  }

  /// Whether the consumer need not wait.
  @usableFromInline var isReady: Bool {
    lock.lock()
    defer { lock.unlock() }
    return machine.isReady
  }

  /// Takes an element that has arrived, without waiting.
  ///
  /// - Returns: The input that has delivered it.
  @usableFromInline
  func takeArrived() -> Int? {
    lock.lock()
    defer { lock.unlock() }
    return machine.takeArrived()
  }

  /// Requests an element of each input that has none, so that they go on while the consumer is busy.
  @usableFromInline
  func request() {
    lock.lock()
    requestUnlocking()
  }

  /// The failure, of which the consumer has been told.
  @usableFromInline
  func takeFailure() -> (any Error)? {
    lock.lock()
    let failure = failure.take()
    lock.unlock()
    return failure
  }

  /// Waits until the consumer can go on, and has to look again.
  @usableFromInline
  func advance(isolation: isolated (any Actor)?) async {
    if !hasStarted { startInputs() }
    await waitForConsumer(isolation: isolation, onCancel: { cancel() }) { park($0) }
  }

  private func startInputs() {
    hasStarted = true
    executor = ExecutorPreference.ofCurrentTask
    lock.lock()
    let inputs = inputs
    self.inputs = []
    lock.unlock()
    // Not children of the consumer's task, which would have to wait for them; they inherit its priority and its
    // task-local values.
    let tasks = inputs.map { input in Task(executorPreference: executor) { await input.run() } }
    lock.lock()
    // The first of them may have ended the others already.
    let unwanted = tasks.indices.filter { !machine.isWanted($0) }
    if machine.isOpen { self.tasks = tasks }
    lock.unlock()
    for index in unwanted { tasks[index].cancel() }
  }

  /// Suspends the consumer, and requests an element of each input that has none.
  private func park(_ continuation: UnsafeContinuation<Void, Never>) {
    lock.lock()
    if let ready = consumer.park(continuation, unless: machine.isReady) {
      lock.unlock()
      return ready.wake()
    }
    requestUnlocking()
  }

  /// Requests an element of each input that has none. Releases the lock, which the caller has taken.
  private func requestUnlocking() {
    lock.assertHeld()
    // With two inputs there is no array to allocate.
    var (first, second): (Waiter?, Waiter?)
    var others: ContiguousArray<Waiter> = []
    while let input = machine.request() {
      guard let waiter = waiters[input].take() else { continue }
      if first == nil { first = waiter } else if second == nil { second = waiter } else { others.append(waiter) }
    }
    lock.unlock()
    first?.wake(returning: true)
    second?.wake(returning: true)
    for waiter in others { waiter.wake(returning: true) }
  }

  /// Stops all inputs, and ends the consumer's wait.
  @usableFromInline
  func cancel() {
    lock.lock()
    machine.cancelled()
    let inputs = inputs
    self.inputs = []
    let dropped = (inner, failure)
    inner = []
    failure = nil
    stopUnlocking()
    // The consumer may retain these, and they have not begun.
    for input in inputs { input.discard() }
    releaseOutsideLock(dropped)
  }

  /// Cancels the tasks and resumes all that wait. Releases the lock, which the caller has taken.
  private func stopUnlocking() {
    lock.assertHeld()
    let tasks = tasks
    self.tasks = []
    let innerTasks = innerTasks
    self.innerTasks = []
    let consumer = consumer.take()
    var stopped: [Waiter] = []
    for index in waiters.indices {
      if let waiter = waiters[index].take() { stopped.append(waiter) }
    }
    lock.unlock()
    for task in tasks { task.cancel() }
    for task in innerTasks { task?.cancel() }
    for waiter in stopped { waiter.wake(returning: false) }
    consumer?.wake()
  }

  // MARK: The inputs

  /// An input's element is in its place, and its task waits until the next one is requested.
  ///
  /// The element can be seen and its input be resumed from the same moment on, so that neither can be missed.
  ///
  /// - Parameter waiter: Resumed with whether another element is requested; the input stops otherwise.
  @usableFromInline
  func received(_ input: Int, _ waiter: Waiter) {
    lock.lock()
    guard let order = machine.received(input) else {
      lock.unlock()
      return waiter.wake(returning: false)
    }
    waiters[input] = waiter
    if order == .stopOthers { return stopOthersUnlocking(input) }
    let consumer = order == .resumeConsumer ? consumer.take() : nil
    lock.unlock()
    consumer?.wake()
  }

  /// Cancels the tasks of all inputs but one, and resumes the consumer. Releases the lock, which the caller has taken.
  private func stopOthersUnlocking(_ winner: Int) {
    lock.assertHeld()
    let tasks = tasks
    let consumer = consumer.take()
    var stopped: [Waiter] = []
    for index in waiters.indices where index != winner {
      if let waiter = waiters[index].take() { stopped.append(waiter) }
    }
    lock.unlock()
    for (index, task) in tasks.enumerated() where index != winner { task.cancel() }
    for waiter in stopped { waiter.wake(returning: false) }
    consumer?.wake()
  }

  @usableFromInline
  func finished(_ input: Int) {
    lock.lock()
    let order = machine.finished(input)
    let left = hasInnerInputs && machine.isOpen ? removeInner(input) : (nil, nil)
    performUnlocking(order)
    releaseOutsideLock(left)
  }

  @usableFromInline
  func failed(_ input: Int, _ error: any Error) {
    lock.lock()
    let order = machine.failed(input)
    if order == .stop { failure = error }
    performUnlocking(order)
  }

  private func performUnlocking(_ order: FanInStateMachine.Order) {
    lock.assertHeld()
    switch order {
    case .stop: stopUnlocking()
    case .resumeFirstInput:
      let waiter = waiters[0].take()
      lock.unlock()
      waiter?.wake(returning: true)
    case .nothing, .resumeConsumer, .stopOthers: lock.unlock()
    }
  }

  // MARK: Inner inputs

  /// The first input has an element that may become an inner input. Ends the one that it replaces.
  ///
  /// - Returns: Whether the element becomes one.
  @usableFromInline
  func beginInner() -> Bool {
    lock.lock()
    let isWanted = machine.wantsInner
    guard isWanted, let input = machine.replaced() else {
      lock.unlock()
      return isWanted
    }
    let waiter = waiters[input].take()
    let (member, task) = removeInner(input)
    lock.unlock()
    task?.cancel()
    waiter?.wake(returning: false)
    releaseOutsideLock(member)
    return true
  }

  /// Starts an inner input, which has this as its engine from now on. Only the first input's task may call this.
  @usableFromInline
  func startInner(_ member: AnyFanInInput) {
    lock.lock()
    guard let input = machine.started() else { return lock.unlock() }
    while waiters.count <= input { waiters.append(nil) }
    while inner.count <= input { inner.append(nil) }
    while innerTasks.count <= input { innerTasks.append(nil) }
    member.join(self, at: input)
    inner[input] = member
    lock.unlock()
    let task = Task(executorPreference: executor) { await member.run() }
    lock.lock()
    // It may have ended already; after a cancellation there are no inner inputs.
    let isRunning = machine.isOpen && inner[input] === member
    if isRunning { innerTasks[input] = task }
    lock.unlock()
    if !isRunning { task.cancel() }
  }

  /// The first input waits until there is room for another inner input.
  ///
  /// - Parameter waiter: Resumed with whether the first input goes on; otherwise, it stops.
  @usableFromInline
  func waitForRoom(_ waiter: Waiter) {
    lock.lock()
    let isOpen = machine.isOpen
    if isOpen, !machine.waitsForRoom() {
      waiters[0] = waiter
      return lock.unlock()
    }
    lock.unlock()
    waiter.wake(returning: isOpen)
  }

  /// The inner input of the element that the consumer gets.
  @usableFromInline
  func takeInnerInput() -> AnyFanInInput? { delivered.take() }

  private func removeInner(_ input: Int) -> (AnyFanInInput?, Task<Void, Never>?) {
    lock.assertHeld()
    return (
      input < inner.count ? inner[input].take() : nil,
      input < innerTasks.count ? innerTasks[input].take() : nil
    )
  }
}
