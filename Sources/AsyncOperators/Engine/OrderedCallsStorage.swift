import InterflowPrimitives

/// Runs a closure for each element of a base, several at a time, and keeps the results until it is their turn.
///
/// The base is iterated in one task, and each call has a task of its own. Nobody waits for them: they are cancelled when
/// the consumer is, or releases its iterator.
@usableFromInline
final class OrderedCallsStorage<Output: Sendable, Failure: Error>: @unchecked Sendable {
  /// A call, from its beginning until its result is delivered.
  final class Call: @unchecked Sendable {
    let number: Int
    // Guarded by the storage's lock.
    @exclusivity(unchecked) var output: Output?
    @exclusivity(unchecked) var hasReturned = false
    @exclusivity(unchecked) var task: Task<Void, Never>?

    init(_ number: Int) {
      self.number = number
    }
  }

  /// Set before the task of the base is started.
  @exclusivity(unchecked) private var executor: (any TaskExecutor)?

  private let lock = Lock()
  // Guarded by `lock`: everything below it. Continuations are resumed, tasks cancelled, and results released without it.
  @exclusivity(unchecked) private var machine: OrderedCalls
  /// Those that are wanted and have not been delivered, in order.
  @exclusivity(unchecked) private var calls = RingBuffer<Call>()
  @exclusivity(unchecked) private var failure: Failure?
  @exclusivity(unchecked) private var base: Task<Void, Never>?
  @exclusivity(unchecked) private var producer = WaitingTask()
  @exclusivity(unchecked) private var consumer = WaitingTask()

  @usableFromInline
  init(limit: Int) {
    machine = OrderedCalls(limit: limit)
  }

  /// - Parameter work: Iterates the base. It is passed to one task, and used nowhere else.
  @usableFromInline
  func start(_ work: @escaping () async -> Void) {
    executor = ExecutorPreference.ofCurrentTask
    let task = startTask(on: executor, work)
    lock.lock()
    let isOpen = machine.isOpen
    if isOpen { base = task }
    lock.unlock()
    if !isOpen { task.cancel() }
  }

  // MARK: The base

  /// Iterates a base until it ends, or no more of its elements are wanted.
  @inlinable
  func run<Base: AsyncIteratorProtocol>(
    _ base: IteratorTransfer<Base>, _ transform: @escaping @Sendable (Base.Element) async throws(Failure) -> Output
  ) async where Base.Element: Sendable {
    var iterator = base.take()
    var begun = 0
    repeat {
      do throws(Base.Failure) {
        guard let element = try await iterator.next(isolation: nil) else { return finish(nil) }
        begin { () async throws(Failure) in try await transform(element) }
      } catch {
        return finish(converted(error, to: Failure.self))
      }
      begun &+= 1
      // Lets other tasks run, though the base always has an element.
      if begun & 63 == 0 { await Task.yield() }
    } while await waitForRoom()
  }

  @usableFromInline
  func begin(_ body: @escaping @Sendable () async throws(Failure) -> Output) {
    lock.lock()
    guard let number = machine.began() else { return lock.unlock() }
    let call = Call(number)
    calls.append(call)
    lock.unlock()
    let task = Task(executorPreference: executor) {
      do throws(Failure) {
        self.returned(call, try await body())
      } catch {
        self.failed(call, error)
      }
    }
    lock.lock()
    // It may have returned already.
    let isWanted = machine.isWanted(number)
    if isWanted, !call.hasReturned { call.task = task }
    lock.unlock()
    if !isWanted { task.cancel() }
  }

  /// Waits for room for another call.
  ///
  /// - Returns: Whether more calls are wanted.
  @usableFromInline
  func waitForRoom() async -> Bool {
    await withUnsafeContinuation { continuation in
      lock.lock()
      let ready = producer.park(continuation, unless: machine.hasRoom || !machine.isOpen)
      lock.unlock()
      ready?.wake()
    }
    lock.lock()
    let isOpen = machine.isOpen
    lock.unlock()
    return isOpen
  }

  @usableFromInline
  func finish(_ failure: Failure?) {
    lock.lock()
    guard machine.baseEnded() else { return lock.unlock() }
    self.failure = failure
    let task = base.take()
    let consumer = isReady ? consumer.take() : nil
    lock.unlock()
    consumer?.wake()
    releaseOutsideLock(task)
  }

  // MARK: The calls

  private func returned(_ call: Call, _ output: Output) {
    lock.lock()
    call.hasReturned = true
    let task = call.task.take()
    var consumer: WaitingTask.Continuation?
    if machine.isWanted(call.number) {
      call.output = output
      if isReady { consumer = self.consumer.take() }
    }
    lock.unlock()
    consumer?.wake()
    releaseOutsideLock(task)
  }

  /// Ends the calls after this one, and the base, at once; the failure is delivered after the results before it.
  private func failed(_ call: Call, _ error: Failure) {
    lock.lock()
    call.hasReturned = true
    let task = call.task.take()
    guard let count = machine.failed(call.number) else {
      lock.unlock()
      return releaseOutsideLock(task)
    }
    let replaced = failure
    failure = error
    var unwanted: [Call] = []
    for _ in 0..<count {
      if let last = calls.popLast() { unwanted.append(last) }
    }
    let tasks = unwanted.map { $0.task.take() }
    let base = base.take()
    let producer = producer.take()
    let consumer = isReady ? consumer.take() : nil
    lock.unlock()
    for task in tasks { task?.cancel() }
    base?.cancel()
    producer?.wake()
    consumer?.wake()
    releaseOutsideLock((unwanted, task, replaced))
  }

  // MARK: The consumer

  /// Whether the consumer need not wait.
  private var isReady: Bool {
    lock.assertHeld()
    if machine.isOver || machine.isAtEnd { return true }
    return calls.first.map { $0.output != nil } ?? false
  }

  /// The next result, if it is there.
  @usableFromInline
  func take() -> Output? {
    lock.lock()
    guard !machine.isOver, let call = calls.first, let output = call.output.take() else {
      lock.unlock()
      return nil
    }
    _ = calls.popFirst()
    machine.deliver()
    let producer = machine.hasRoom ? producer.take() : nil
    lock.unlock()
    producer?.wake()
    releaseOutsideLock(call)
    return output
  }

  /// The end, where no result before it is left.
  ///
  /// - Returns: Whether it has come.
  @usableFromInline
  func takeEnd() throws(Failure) -> Bool {
    lock.lock()
    guard machine.isOver || machine.isAtEnd else {
      lock.unlock()
      return false
    }
    machine.finish()
    let failure = failure.take()
    lock.unlock()
    if let failure { throw failure }
    return true
  }

  @usableFromInline
  func wait(isolation: isolated (any Actor)?) async {
    await waitForConsumer(isolation: isolation, onCancel: { cancel() }) { continuation in
      lock.lock()
      let ready = consumer.park(continuation, unless: isReady)
      lock.unlock()
      ready?.wake()
    }
  }

  /// Cancels the base and all calls, drops the results, and ends the consumer's wait.
  @usableFromInline
  func cancel() {
    lock.lock()
    machine.finish()
    var dropped: [Call] = []
    while let call = calls.popFirst() { dropped.append(call) }
    let tasks = dropped.map { $0.task.take() }
    let failure = failure.take()
    let base = base.take()
    let producer = producer.take()
    let consumer = consumer.take()
    lock.unlock()
    for task in tasks { task?.cancel() }
    base?.cancel()
    producer?.wake()
    consumer?.wake()
    releaseOutsideLock((dropped, failure))
  }
}
