import InterflowPrimitives

// The producer of `share`: a task that iterates the base as far ahead as the consumers' buffers have room.

extension FanOut {
  /// Makes the iterator of the base for the first consumer, so that the base knows that there is one, releases it when
  /// the last one has left, and starts the task that iterates it when a consumer has requested an element.
  ///
  /// The base need not be `Sendable`, and may share something with its iterators. So only who has taken `makeWork` out
  /// uses or releases either of them, and sees to what other threads have changed before it puts them back. These do not
  /// wait for that. The base is released before the task begins.
  @usableFromInline
  func prepare() {
    lock.lock()
    var makeWork = makeWork.take()
    var work = work.take()
    while makeWork != nil {
      let isOpen = machine.phase == .open
      let isUsed = isOpen && machine.consumerCount > 0
      let isRequested = isUsed && machine.isRequested
      if isOpen, !isRequested, isUsed == (work != nil) {
        // Moved, so that the next one who takes them out has the only references.
        self.makeWork = makeWork.take()
        self.work = work.take()
      } else {
        lock.unlock()
        if !isUsed { work = nil } else if work == nil { work = makeWork?() }
        if isRequested || !isOpen { makeWork = nil }
        if isRequested, let work { start(work) }
        lock.lock()
      }
    }
    lock.unlock()
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
