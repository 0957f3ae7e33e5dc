import InterflowPrimitives

/// Sends each element to all consumers, each of which has a buffer of its own: the engine of the subjects and of
/// `share`.
///
/// One lock guards all buffers, so that all consumers see the elements in one order, and a consumer that joins misses
/// none between those sent before and those sent after.
@usableFromInline
final class FanOut<Element, Failure: Error>: @unchecked Sendable {
  // Guarded by `lock`: all variables below it, and the inboxes. Continuations are resumed, the task is cancelled, and
  // elements are released without it.
  @usableFromInline let lock = Lock()
  @usableFromInline let keepsHistory: Bool
  /// Whether a new consumer gets what is buffered for another one.
  @usableFromInline let sharesBuffers: Bool
  @usableFromInline @exclusivity(unchecked) var machine: FanOutStateMachine
  @usableFromInline @exclusivity(unchecked) var inboxes: ContiguousArray<FanOutInbox<Element>> = []
  /// After the end, those whose consumers have not taken all of their elements, if new consumers are given these.
  @usableFromInline @exclusivity(unchecked) var endedInboxes: ContiguousArray<FanOutInbox<Element>> = []
  @usableFromInline @exclusivity(unchecked) var history: RingBuffer<Element>
  @usableFromInline @exclusivity(unchecked) var failure: Failure?
  /// Makes the iterator of the base, if there is one, and what iterates it; until that is started. Not there while a thread
  /// uses one of them, so that the base is used by one thread at a time.
  @usableFromInline @exclusivity(unchecked) var makeWork: (() -> () async -> Void)?
  /// What has been made of it, while there are consumers; until it is started.
  @usableFromInline @exclusivity(unchecked) var work: (() async -> Void)?
  @usableFromInline @exclusivity(unchecked) var task: Task<Void, Never>?
  /// The task while it waits until it may take an element from the base.
  @usableFromInline @exclusivity(unchecked) var producer = WaitingTask()

  /// - Parameters:
  ///   - history: What the first consumer is given.
  ///   - historyLimit: How many elements a new consumer is given of those sent before.
  ///   - replaysAfterEnd: Whether it is given them after the end, too.
  ///   - sharesBuffers: Whether it is also given what is buffered for another consumer.
  @inlinable
  init(
    history: RingBuffer<Element> = RingBuffer(), historyLimit: Int, replaysAfterEnd: Bool, sharesBuffers: Bool = false
  ) {
    keepsHistory = historyLimit > 0
    self.sharesBuffers = sharesBuffers
    self.history = history
    machine = FanOutStateMachine(
      historyLimit: historyLimit, replaysAfterEnd: replaysAfterEnd, historyCount: history.count)
  }

  /// How many consumers there are.
  @usableFromInline var consumerCount: Int {
    lock.lock()
    let count = machine.consumerCount
    lock.unlock()
    return count
  }

  /// The element that was sent last, where the history always has exactly one.
  @inlinable var newest: Element { newestAndSentCount.0 }

  /// That element, and how many have been sent.
  @inlinable var newestAndSentCount: (Element, Int) {
    lock.lock()
    let element = history.first
    let count = machine.sentCount
    lock.unlock()
    return (element.unsafelyUnwrapped, count)
  }

  // MARK: The producer

  @inlinable
  @discardableResult
  func send(_ element: Element) -> AsyncSubjectDelivery {
    lock.lock()
    return sendUnlocking(element)
  }

  /// Sends an element unless another one has been sent since there were so many.
  ///
  /// - Returns: What has been done with it; `nil` if it has not been sent.
  @inlinable
  func send(_ element: Element, unlessSentSince count: Int) -> AsyncSubjectDelivery? {
    lock.lock()
    guard machine.sentCount == count else {
      lock.unlock()
      return nil
    }
    return sendUnlocking(element)
  }

  /// Sends an element. Releases the lock, which the caller has taken.
  @inlinable
  @inline(__always)
  func sendUnlocking(_ element: Element) -> AsyncSubjectDelivery {
    lock.assertHeld()
    guard machine.phase == .open else {
      lock.unlock()
      return AsyncSubjectDelivery(consumerCount: 0, droppedCount: 0, wasFinished: true)
    }
    var outdated: Element?
    switch machine.sent() {
    case .ignore: break
    case .append: history.append(element)
    case .replaceOldest:
      outdated = history.popFirst()
      history.append(element)
    }
    let count = inboxes.count
    var dropped = 0
    var replaced: ContiguousArray<Element> = []
    var waiter: UnsafeContinuation<Void, Never>?
    var waiters: ContiguousArray<UnsafeContinuation<Void, Never>> = []
    for index in 0..<count {
      let inbox = inboxes[index]
      switch inbox.machine.received() {
      case .append:
        inbox.elements.append(element)
        machine.fullCount &+= inbox.machine.fullnessChange()
      case .replaceOldest:
        // With one consumer there is no array to allocate.
        let oldest = inbox.elements.popFirst()
        inbox.elements.append(element)
        if outdated == nil { outdated = oldest } else if let oldest { replaced.append(oldest) }
        dropped &+= 1
      case .drop:
        dropped &+= 1
      }
      if let next = inbox.waiter.take() {
        inbox.machine.resumed()
        machine.fullCount &+= inbox.machine.fullnessChange()
        if waiter == nil { waiter = next } else { waiters.append(next) }
      }
    }
    lock.unlock()
    waiter?.wake()
    for waiter in waiters { waiter.wake() }
    releaseOutsideLock(outdated)
    releaseOutsideLock(replaced)
    return AsyncSubjectDelivery(consumerCount: count, droppedCount: dropped)
  }

  @usableFromInline
  func finish(_ failure: Failure?) {
    lock.lock()
    guard machine.finished() else { return lock.unlock() }
    self.failure = failure
    closeUnlocking()
  }

  /// There will be no new consumers: the producer stops when the last one has left.
  @usableFromInline
  func releaseOwner() {
    lock.lock()
    if machine.released() { closeUnlocking() } else { lock.unlock() }
  }

  /// Ends all consumers after what they have in their buffers, and stops the producer. Releases the lock, which the
  /// caller has taken.
  private func closeUnlocking() {
    let inboxes = inboxes
    self.inboxes = []
    var waiters: ContiguousArray<UnsafeContinuation<Void, Never>> = []
    for inbox in inboxes {
      inbox.index = -1
      inbox.machine.finished()
      keepAfterEnd(inbox)
      if let waiter = inbox.waiter.take() { waiters.append(waiter) }
    }
    let task = task.take()
    let work = (makeWork.take(), work.take())
    let producer = producer.take()
    lock.unlock()
    for waiter in waiters { waiter.wake() }
    task?.cancel()
    producer?.wake()
    releaseOutsideLock(work)
  }
}

// MARK: - The consumers

extension FanOut {
  /// Makes a consumer's buffer, with what it is given of the elements sent before.
  @inlinable
  func join(_ rule: BufferStateMachine.Rule, limit: Int) -> FanOutInbox<Element> {
    // All consumers of shared buffers take single elements, so that what one has not taken is there for the others.
    let inbox = FanOutInbox<Element>(FanOutInboxStateMachine(rule, limit: limit, takesBatches: !sharesBuffers))
    lock.lock()
    var past = machine.replays ? history : RingBuffer()
    let historyCount = past.count
    // A buffer that keeps the oldest elements may have none of the newest, which the history has.
    if sharesBuffers, past.isEmpty || rule != .dropNewest {
      for other in machine.phase == .open ? inboxes : endedInboxes where other.machine.buffered > past.count {
        past = other.elements
      }
    }
    if !past.isEmpty {
      // The history and the other buffers retain their elements, so none is released here under the lock.
      if inbox.machine.deliversBatches {
        inbox.machine.buffered = past.count
        inbox.elements = past
      } else {
        while let element = past.popFirst() {
          switch inbox.machine.received() {
          case .append: inbox.elements.append(element)
          case .replaceOldest:
            _ = inbox.elements.popFirst()
            inbox.elements.append(element)
          case .drop: break
          }
        }
      }
    }
    if machine.phase == .open {
      inbox.index = inboxes.count
      inboxes.append(inbox)
      machine.joined()
      machine.fullCount &+= inbox.machine.fullnessChange()
    } else {
      inbox.machine.finished()
      // The history is given to all; only what it does not have is there for the next one.
      if inbox.machine.buffered > historyCount { keepAfterEnd(inbox) }
    }
    lock.unlock()
    return inbox
  }

  /// Takes one element, or all: the first is returned, and the others are in `batch`, which is empty before.
  @inlinable
  func take(_ inbox: FanOutInbox<Element>, _ batch: inout RingBuffer<Element>) -> Element? {
    lock.lock()
    if inbox.machine.deliversBatches {
      swap(&inbox.elements, &batch)
      inbox.machine.tookAll()
      lock.unlock()
      return batch.popFirst()
    }
    guard let element = inbox.elements.popFirst() else {
      lock.unlock()
      return nil
    }
    inbox.machine.tookOne()
    machine.fullCount &+= inbox.machine.fullnessChange()
    if machine.phase == .ended, inbox.machine.buffered == 0 { forgetAfterEnd(inbox) }
    let producer = machine.mayProduce ? producer.take() : nil
    lock.unlock()
    producer?.wake()
    return element
  }

  /// The end, where no element is left.
  ///
  /// - Returns: Whether it has come.
  @inlinable
  func takeEnd(_ inbox: FanOutInbox<Element>) throws(Failure) -> Bool {
    lock.lock()
    let end = inbox.machine.takeEnd()
    let failure = end == .first ? failure : nil
    lock.unlock()
    if let failure { throw failure }
    return end != .notYet
  }

  @usableFromInline
  func wait(_ inbox: FanOutInbox<Element>, isolation: isolated (any Actor)?) async {
    await withTaskCancellationHandler(
      operation: {
        await withUnsafeContinuation(isolation: isolation) { park(inbox, $0) }
      },
      onCancel: { leave(inbox) },
      isolation: isolation)
  }

  private func park(_ inbox: FanOutInbox<Element>, _ continuation: UnsafeContinuation<Void, Never>) {
    lock.lock()
    precondition(inbox.waiter == nil, "next() was called while another call of it waits")
    guard inbox.machine.waited() else {
      lock.unlock()
      return continuation.wake()
    }
    inbox.waiter = continuation
    machine.fullCount &+= inbox.machine.fullnessChange()
    machine.requested()
    let isStarted = makeWork == nil
    let producer = machine.mayProduce ? producer.take() : nil
    lock.unlock()
    producer?.wake()
    if !isStarted { prepare() }
  }

  /// Removes a consumer, drops what it has in its buffer, and ends its wait.
  @usableFromInline
  func leave(_ inbox: FanOutInbox<Element>) {
    lock.lock()
    guard inbox.machine.left() else { return lock.unlock() }
    let elements = inbox.elements
    inbox.elements = RingBuffer()
    let waiter = inbox.waiter.take()
    let isUnused = remove(inbox)
    // A base that is not iterated yet need not know of consumers that have left.
    let isPrepared = work != nil && machine.consumerCount == 0
    if isUnused {
      closeUnlocking()
    } else {
      let producer = machine.mayProduce ? producer.take() : nil
      lock.unlock()
      producer?.wake()
    }
    waiter?.wake()
    releaseOutsideLock(elements)
    if isPrepared { prepare() }
  }

  /// - Returns: Whether nothing can use this any more.
  private func remove(_ inbox: FanOutInbox<Element>) -> Bool {
    guard machine.phase == .open else {
      forgetAfterEnd(inbox)
      return false
    }
    let index = inbox.index
    guard index >= 0 else { return false }
    let last = inboxes.removeLast()
    if last !== inbox {
      inboxes[index] = last
      last.index = index
    }
    inbox.index = -1
    return machine.left(wasFull: inbox.machine.isCountedAsFull)
  }

  /// After the end, lets new consumers have what is buffered for this one.
  @usableFromInline
  func keepAfterEnd(_ inbox: FanOutInbox<Element>) {
    lock.assertHeld()
    guard sharesBuffers, inbox.machine.buffered > 0 else { return }
    inbox.index = endedInboxes.count
    endedInboxes.append(inbox)
  }

  /// After the end, for a consumer that has taken all of its elements, or leaves.
  @usableFromInline
  func forgetAfterEnd(_ inbox: FanOutInbox<Element>) {
    lock.assertHeld()
    let index = inbox.index
    guard index >= 0 else { return }
    let last = endedInboxes.removeLast()
    if last !== inbox {
      endedInboxes[index] = last
      last.index = index
    }
    inbox.index = -1
  }
}

/// A consumer's buffer. All of it is guarded by the lock of the ``FanOut`` that it belongs to.
@usableFromInline
final class FanOutInbox<Element>: @unchecked Sendable {
  @usableFromInline @exclusivity(unchecked) var machine: FanOutInboxStateMachine
  @usableFromInline @exclusivity(unchecked) var elements = RingBuffer<Element>()
  @usableFromInline @exclusivity(unchecked) var waiter: UnsafeContinuation<Void, Never>?
  /// Its place among the inboxes, after the end among the ended ones; negative if it has none.
  @usableFromInline @exclusivity(unchecked) var index = -1

  @inlinable
  init(_ machine: FanOutInboxStateMachine) {
    self.machine = machine
  }
}
