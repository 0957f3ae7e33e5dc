import InterflowPrimitives

// The producer of `share`: a task that iterates the base as far ahead as the consumers' buffers have room.

extension FanOut {
  /// Makes the iterator of the base, if there is none yet, so that the base knows that there is a consumer.
  ///
  /// The base need not be `Sendable`. So whoever takes `makeWork` out makes the iterator, and nobody else uses the base
  /// meanwhile: consumers that are added then do not wait for it, and one that requests an element leaves it to the
  /// caller of this function to start the task.
  @usableFromInline
  func prepare() {
    lock.lock()
    guard work == nil, let makeWork = makeWork.take() else { return lock.unlock() }
    lock.unlock()
    let new = makeWork()
    lock.lock()
    // The consumer that this is called for is there. Without `makeWork`, a request has not started the task.
    let isRequested = machine.isRequested
    let isOpen = machine.phase == .open
    if isOpen, !isRequested {
      self.makeWork = makeWork
      work = new
    }
    lock.unlock()
    if isOpen, isRequested { start(new) }
    releaseOutsideLock((makeWork, new))
  }

  /// Starts the task that iterates the base.
  ///
  /// - Parameter work: It is passed to one task, and used nowhere else.
  @usableFromInline
  func start(_ work: @escaping () async -> Void) {
    let task = startTask(on: ExecutorPreference.ofCurrentTask, work)
    lock.lock()
    let isOpen = machine.phase == .open
    if isOpen { self.task = task }
    lock.unlock()
    if !isOpen { task.cancel() }
  }

  /// Iterates a base until it ends, or nothing can use its elements any more.
  @inlinable
  func run<Iterator: AsyncIteratorProtocol>(_ base: IteratorTransfer<Iterator>) async
  where Iterator.Element == Element, Iterator.Failure == Failure {
    var iterator = base.take()
    var received = 0
    while await waitForDemand() {
      do throws(Failure) {
        guard let element = try await iterator.next(isolation: nil) else { return finish(nil) }
        guard await deliver(element) else { return }
      } catch {
        return finish(error)
      }
      received &+= 1
      // Lets other tasks run, though the base always has an element.
      if received & 1_023 == 0 { await Task.yield() }
    }
  }

  /// Sends an element. If all consumers have left while the base made it, the next one gets it.
  ///
  /// - Returns: Whether the producer goes on.
  @inlinable
  func deliver(_ element: Element) async -> Bool {
    while true {
      let delivery = send(element)
      if delivery.wasFinished { return false }
      if delivery.consumerCount > 0 || keepsHistory { return true }
      guard await waitForDemand() else { return false }
    }
  }

  /// Waits until an element may be taken from the base.
  ///
  /// - Returns: Whether the producer goes on.
  @inlinable
  func waitForDemand() async -> Bool {
    while true {
      lock.lock()
      let phase = machine.phase
      let mayProduce = machine.mayProduce
      lock.unlock()
      if phase == .ended { return false }
      if mayProduce { return true }
      await park()
    }
  }

  @usableFromInline
  func park() async {
    await withUnsafeContinuation { continuation in
      lock.lock()
      let ready = producer.park(continuation, unless: machine.mayProduce || machine.phase == .ended)
      lock.unlock()
      ready?.wake()
    }
  }
}
