import InterflowPrimitives

/// A buffer between the task that iterates a base and the consumer.
@usableFromInline
final class BufferStorage<Element, Failure: Error>: @unchecked Sendable {
  // Guarded by `lock`: everything below it. Continuations are resumed, the task is cancelled and elements are released
  // without it.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var machine: BufferStateMachine
  @usableFromInline @exclusivity(unchecked) var elements = RingBuffer<Element>()
  @usableFromInline @exclusivity(unchecked) var failure: Failure?
  @usableFromInline @exclusivity(unchecked) var producer = WaitingTask()
  @usableFromInline @exclusivity(unchecked) var consumer = WaitingTask()
  @usableFromInline @exclusivity(unchecked) var task: Task<Void, Never>?

  @inlinable
  init(_ policy: AsyncBufferSequencePolicy) {
    machine = BufferStateMachine(policy.rule, limit: policy.limit)
  }

  /// - Parameter work: Iterates the base. It is passed to one task, and used nowhere else.
  @usableFromInline
  func start(_ work: @escaping () async -> Void) {
    let task = startTask(on: ExecutorPreference.ofCurrentTask, work)
    lock.lock()
    let isOver = machine.phase != .open
    if !isOver { self.task = task }
    lock.unlock()
    if isOver { task.cancel() }
  }

  // MARK: The producer

  /// Iterates a base until it ends, or the consumer stops.
  @inlinable
  func run<Iterator: AsyncIteratorProtocol>(_ base: IteratorTransfer<Iterator>) async
  where Iterator.Element == Element, Iterator.Failure == Failure {
    var iterator = base.take()
    var received = 0
    while true {
      do throws(Failure) {
        guard let element = try await iterator.next(isolation: nil) else { return finish(nil) }
        switch receive(element) {
        case .goOn: break
        case .wait:
          guard await waitForRoom() else { return }
        case .stop: return
        }
      } catch {
        return finish(error)
      }
      received &+= 1
      // Lets other tasks run, though the base always has an element.
      if received & 1_023 == 0 { await Task.yield() }
    }
  }

  /// Waits for room, after there was none.
  ///
  /// - Returns: Whether the producer goes on.
  @inlinable
  func waitForRoom() async -> Bool {
    await withUnsafeContinuation { continuation in
      lock.lock()
      let ready = producer.park(continuation, unless: machine.hasRoom || machine.phase != .open)
      lock.unlock()
      ready?.wake()
    }
    lock.lock()
    let isOpen = machine.phase == .open
    lock.unlock()
    return isOpen
  }

  /// What the producer does after an element.
  @usableFromInline
  @frozen
  enum Next {
    case goOn
    case wait
    case stop
  }

  @inlinable
  func receive(_ element: Element) -> Next {
    lock.lock()
    var dropped: Element?
    switch machine.received() {
    case .append:
      elements.append(element)
    case .replaceOldest:
      dropped = elements.popFirst()
      elements.append(element)
    case .drop: break
    case .stop:
      lock.unlock()
      return .stop
    }
    let next = machine.hasRoom ? Next.goOn : .wait
    let consumer = consumer.take()
    lock.unlock()
    consumer?.wake()
    releaseOutsideLock(dropped)
    return next
  }

  @inlinable
  func finish(_ failure: Failure?) {
    lock.lock()
    guard machine.finished() else { return lock.unlock() }
    self.failure = failure
    let task = task.take()
    let consumer = consumer.take()
    lock.unlock()
    consumer?.wake()
    releaseOutsideLock(task)
  }

  // MARK: The consumer

  /// Takes one element, or all: the first is returned, and the others are in `batch`, which is empty before.
  @inlinable
  func take(_ batch: inout RingBuffer<Element>) -> Element? {
    lock.lock()
    let element: Element?
    if machine.deliversBatches {
      swap(&elements, &batch)
      machine.tookAll()
      element = nil
    } else {
      element = elements.popFirst()
      if element != nil { machine.tookOne() }
    }
    let producer = machine.hasRoom ? producer.take() : nil
    lock.unlock()
    producer?.wake()
    return element ?? batch.popFirst()
  }

  /// So many elements of those taken have been delivered, and there is room for as many.
  @inlinable
  func delivered(_ count: Int) {
    lock.lock()
    machine.delivered(count)
    let producer = machine.hasRoom ? producer.take() : nil
    lock.unlock()
    producer?.wake()
  }

  /// The end, where no element is left.
  ///
  /// - Returns: Whether it has come.
  @inlinable
  func takeEnd() throws(Failure) -> Bool {
    lock.lock()
    guard machine.phase != .open, machine.buffered == 0 else {
      lock.unlock()
      return false
    }
    machine.ended()
    let failure = failure.take()
    lock.unlock()
    if let failure { throw failure }
    return true
  }

  @usableFromInline
  func wait(isolation: isolated (any Actor)?) async {
    await waitForConsumer(isolation: isolation, onCancel: { cancel() }) { continuation in
      lock.lock()
      let ready = consumer.park(continuation, unless: machine.isReady)
      lock.unlock()
      ready?.wake()
    }
  }

  /// Stops the producer, drops the elements, and ends the consumer's wait.
  @usableFromInline
  func cancel() {
    lock.lock()
    machine.ended()
    let dropped = (elements, failure)
    elements = RingBuffer()
    failure = nil
    let task = task.take()
    let producer = producer.take()
    let consumer = consumer.take()
    lock.unlock()
    task?.cancel()
    producer?.wake()
    consumer?.wake()
    releaseOutsideLock(dropped)
  }
}
