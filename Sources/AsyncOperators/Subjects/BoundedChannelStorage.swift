import InterflowPrimitives

/// The buffer of a channel, the producers that wait, and the consumer.
final class BoundedChannelStorage<Element: Sendable, Failure: Error>: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`: everything below it, and what the senders hold. Continuations are resumed, and elements are
  // released without it.
  @exclusivity(unchecked) private var machine: BoundedChannelStateMachine
  @exclusivity(unchecked) private var elements = RingBuffer<Element>()
  /// Those that wait, and those that have given up since the last time that these were removed.
  @exclusivity(unchecked) private var senders = RingBuffer<BoundedChannelSender<Element>>()
  @exclusivity(unchecked) private var failure: Failure?
  @exclusivity(unchecked) private var consumer = WaitingTask()

  init(_ machine: BoundedChannelStateMachine) {
    self.machine = machine
  }

  // MARK: The producers

  /// Buffers an element if there is room.
  ///
  /// - Returns: Whether there was; otherwise, the producer has to wait.
  func send(_ element: Element) throws -> Bool {
    try Task.checkCancellation()
    lock.lock()
    if machine.isFull, machine.phase == .open {
      lock.unlock()
      return false
    }
    switch machine.sent() {
    case .append:
      appendUnlocking(element)
      return true
    case .refuse(let error):
      lock.unlock()
      throw error
    case .wait: preconditionFailure("a channel that is not full makes producers wait")
    }
  }

  private func appendUnlocking(_ element: Element) {
    elements.append(element)
    let consumer = consumer.take()
    lock.unlock()
    consumer?.wake()
  }

  /// Waits for room, unless there is some by now, and buffers the element.
  func sendWaiting(_ element: Element, isolation: isolated (any Actor)?) async throws {
    let sender = BoundedChannelSender(element)
    await withTaskCancellationHandler(
      operation: {
        await withUnsafeContinuation(isolation: isolation) { park(sender, $0) }
      },
      onCancel: { cancel(sender) },
      isolation: isolation)
    lock.lock()
    let state = sender.state
    lock.unlock()
    switch state {
    case .delivered: return
    case .cancelled: throw CancellationError()
    case .refused(let error): throw error
    case .new, .waiting: preconditionFailure("a producer was resumed without a reason")
    }
  }

  private func park(_ sender: BoundedChannelSender<Element>, _ continuation: UnsafeContinuation<Void, Never>) {
    lock.lock()
    guard case .new = sender.state, let element = sender.element else {
      lock.unlock()
      return continuation.wake()
    }
    switch machine.sent() {
    case .append:
      sender.state = .delivered
      sender.element = nil
      appendUnlocking(element)
      continuation.wake()
    case .wait:
      sender.state = .waiting
      sender.continuation = continuation
      senders.append(sender)
      lock.unlock()
    case .refuse(let error):
      sender.state = .refused(error)
      lock.unlock()
      continuation.wake()
    }
  }

  private func cancel(_ sender: BoundedChannelSender<Element>) {
    lock.lock()
    switch sender.state {
    case .new:
      sender.state = .cancelled
      lock.unlock()
    case .waiting:
      sender.state = .cancelled
      machine.gaveUp()
      // Not with the sender, which may be released with the lock held.
      let element = sender.element.take()
      removeThoseThatGaveUp()
      let continuation = sender.continuation.take()
      lock.unlock()
      continuation?.wake()
      releaseOutsideLock(element)
    case .delivered, .cancelled, .refused:
      lock.unlock()
    }
  }

  /// Keeps memory bounded where producers are cancelled again and again: when those that gave up are the majority.
  private func removeThoseThatGaveUp() {
    guard senders.count > 2 * machine.waiting + 8 else { return }
    for _ in 0..<senders.count {
      if let sender = senders.popFirst(), case .waiting = sender.state { senders.append(sender) }
    }
  }

  func finish(_ failure: Failure?) {
    lock.lock()
    guard machine.finished() else { return lock.unlock() }
    self.failure = failure
    let consumer = consumer.take()
    lock.unlock()
    consumer?.wake()
  }

  // MARK: The consumer

  func take() -> Element? {
    lock.lock()
    guard let element = elements.popFirst() else {
      lock.unlock()
      return nil
    }
    let admitted = machine.tookOne()
    if admitted == 0 {
      lock.unlock()
      return element
    }
    var resumed: [UnsafeContinuation<Void, Never>] = []
    while resumed.count < admitted, let sender = senders.popFirst() {
      guard case .waiting = sender.state, let element = sender.element.take() else { continue }
      sender.state = .delivered
      elements.append(element)
      if let continuation = sender.continuation.take() { resumed.append(continuation) }
    }
    lock.unlock()
    for continuation in resumed { continuation.wake() }
    return element
  }

  /// The end, where no element is left.
  ///
  /// - Returns: Whether it has come.
  func takeEnd() throws(Failure) -> Bool {
    lock.lock()
    let end = machine.takeEnd()
    let failure = end == .first ? failure.take() : nil
    lock.unlock()
    if let failure { throw failure }
    return end != .notYet
  }

  func wait(isolation: isolated (any Actor)?) async {
    await waitForConsumer(isolation: isolation, onCancel: { abandon() }) { continuation in
      lock.lock()
      let ready = consumer.park(continuation, unless: machine.isReady)
      lock.unlock()
      ready?.wake()
    }
  }

  /// Drops the elements, refuses those of producers, and ends the consumer's wait.
  func abandon() {
    lock.lock()
    machine.abandoned()
    let elements = elements
    self.elements = RingBuffer()
    var senders = senders
    self.senders = RingBuffer()
    let failure = failure.take()
    let consumer = consumer.take()
    var resumed: [UnsafeContinuation<Void, Never>] = []
    while let sender = senders.popFirst() {
      guard case .waiting = sender.state else { continue }
      sender.state = .refused(.noConsumer)
      if let continuation = sender.continuation.take() { resumed.append(continuation) }
    }
    lock.unlock()
    for continuation in resumed { continuation.wake() }
    consumer?.wake()
    releaseOutsideLock((elements, failure))
  }
}

/// A producer that waits, with its element. Guarded by the lock of the channel.
final class BoundedChannelSender<Element>: @unchecked Sendable {
  /// - `new`: it is about to wait. Followed by each of the others.
  /// - `waiting`: followed by each of the others but `new`.
  /// - `delivered`: its element is in the channel's buffer.
  enum State {
    case new
    case waiting
    case delivered
    case cancelled
    case refused(AsyncBoundedChannelError)
  }

  @exclusivity(unchecked) var state = State.new
  @exclusivity(unchecked) var element: Element?
  @exclusivity(unchecked) var continuation: UnsafeContinuation<Void, Never>?

  init(_ element: Element) {
    self.element = element
  }
}
