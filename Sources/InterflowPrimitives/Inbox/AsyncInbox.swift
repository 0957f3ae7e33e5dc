/// A queue between a producer that calls it and consumers that wait for values in async code.
///
/// Values are delivered in order, to the consumers in the order in which they began to wait; then the failure, once;
/// then `nil`, for every further call. Values without demand are buffered like all others.
@usableFromInline
package final class AsyncInbox<Element, Failure: Error, Upstream: AsyncInboxUpstream>: @unchecked Sendable {
  // Guarded by `lock`: `machine`. Foreign code is called, continuations are resumed and values are released without it.

  @usableFromInline package typealias Machine = AsyncInboxStateMachine<Element, Failure, Upstream, Waiter>
  @usableFromInline package typealias Waiter = UnsafeContinuation<UncheckedTransfer<Wake>, Never>

  /// Why a waiting consumer is resumed.
  @frozen
  @usableFromInline
  package enum Wake {
    case element(Element)
    case failure(Failure)
    case end
    /// The state changed before it began to wait: it checks again.
    case retry
  }

  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var machine: Machine

  @inlinable
  package init(_ machine: Machine) {
    self.machine = machine
  }

  /// How many values have been dropped because there was no room.
  package var droppedCount: Int {
    lock.lock()
    let count = machine.droppedCount
    lock.unlock()
    return count
  }

  /// Whether it was cancelled before everything had been delivered.
  package var isCutOff: Bool {
    lock.lock()
    let isCutOff = machine.isCutOff
    lock.unlock()
    return isCutOff
  }

  /// How many consumers wait: for tests.
  package var waiterCount: Int {
    lock.lock()
    let count = machine.waiters.count
    lock.unlock()
    return count
  }
}

// MARK: - The producer

extension AsyncInbox {
  /// Links the upstream, and makes the requests that consumers have made before. A second upstream, and one after the
  /// end, is cancelled.
  @inlinable
  package func link(_ upstream: Upstream) {
    lock.lock()
    let demand = machine.linked(upstream)
    lock.unlock()
    if let demand {
      if demand > 0 { upstream.request(demand) }
    } else {
      upstream.cancel()
    }
  }

  /// Makes the inbox request unlimited values from upstream, and buffer those without a consumer.
  ///
  /// - Parameters:
  ///   - capacity: How many values to buffer at most.
  ///   - keepsOldest: Whether the newest values are dropped when there are more; otherwise, the oldest are.
  /// - Returns: Whether it did: only if there is no upstream yet, and this has not been called before.
  package func bufferWithoutDemand(capacity: Int, keepsOldest: Bool) -> Bool {
    lock.lock()
    let isDone = machine.bufferWithoutDemand(capacity: capacity, keepsOldest: keepsOldest)
    lock.unlock()
    return isDone
  }

  /// Delivers a value to the consumer that has waited longest, or buffers it.
  ///
  /// - Returns: Whether the inbox was open; otherwise, nobody will get the value.
  @discardableResult
  @inlinable
  package func receive(_ element: Element) -> Bool {
    lock.lock()
    switch machine.received() {
    case .buffer:
      machine.buffer.append(element)
      lock.unlock()
    case .resumeWaiter:
      let waiter = machine.waiters.popFirst()
      lock.unlock()
      waiter.unsafelyUnwrapped.wake(returning: UncheckedTransfer(.element(element)))
    case .dropOldest:
      let dropped = machine.buffer.popFirst()
      machine.buffer.append(element)
      lock.unlock()
      releaseOutsideLock(dropped)
    case .drop:
      lock.unlock()
    case .ignore:
      lock.unlock()
      return false
    }
    return true
  }

  /// Ends the stream after the buffered values.
  ///
  /// - Parameter failure: The failure that one consumer receives before the end; `nil` if upstream has finished.
  @inlinable
  package func complete(_ failure: Failure?) {
    lock.lock()
    let upstream = machine.upstream
    var waiters = machine.waiters
    machine.completed(failure)
    lock.unlock()
    releaseOutsideLock(upstream)
    if let first = waiters.popFirst() {
      first.wake(returning: UncheckedTransfer(failure.map { .failure($0) } ?? .end))
      Self.end(&waiters)
    }
  }
}

// MARK: - The consumers

extension AsyncInbox {
  /// Cancels upstream, drops the buffered values, and ends every wait with `nil`.
  @inlinable
  package func cancel() {
    lock.lock()
    cancelUnlocking(keeping: 0)
  }

  /// Cancels the inbox because a consumer's task was cancelled.
  ///
  /// A value that has arrived for a consumer that does not wait yet is left to it: nobody else would get the value,
  /// though its sender was told that it was received.
  @inlinable
  func cancelWait() {
    lock.lock()
    cancelUnlocking(keeping: machine.consumers)
  }

  /// Call with the lock held; releases it.
  @inlinable
  func cancelUnlocking(keeping count: Int) {
    lock.assertHeld()
    let upstream = machine.upstream
    let failure = machine.failure
    var waiters = machine.waiters
    let dropped = machine.cancelled(keeping: count)
    lock.unlock()
    upstream?.cancel()
    Self.end(&waiters)
    releaseOutsideLock((dropped, failure))
  }

  /// The next value, on the caller's isolation, without a suspension if it is buffered.
  ///
  /// Requests more from upstream if what was requested has arrived. Cancelling the task cancels the inbox.
  @inlinable
  package func next(isolation: isolated (any Actor)?) async throws(Failure) -> Element? {
    if let element = poll() { return element }
    return try await nextAfterPoll(isolation: isolation)
  }

  /// The next value if it is buffered, or arrives while it is requested; otherwise, the caller calls
  /// ``nextAfterPoll(isolation:)``. Two functions, so that the synchronous one can be inlined in the caller.
  @inlinable
  package func poll() -> Element? {
    if Task.isCancelled {
      cancel()
      return nil
    }
    lock.lock()
    if let element = machine.buffer.popFirst() {
      lock.unlock()
      return element
    }
    machine.consumerArrived()
    guard machine.phase == .open, let upstream = machine.upstream else {
      lock.unlock()
      return nil
    }
    let demand = machine.takeDemand()
    lock.unlock()
    guard demand > 0 else { return nil }
    upstream.request(demand)
    lock.lock()
    let element = machine.buffer.popFirst()
    if element != nil { machine.consumerLeft() }
    lock.unlock()
    return element
  }

  /// Waits for the next value, or for the end, after ``poll()`` has found neither.
  @inlinable
  package func nextAfterPoll(isolation: isolated (any Actor)?) async throws(Failure) -> Element? {
    while true {
      lock.lock()
      if let element = machine.buffer.popFirst() {
        machine.consumerLeft()
        lock.unlock()
        return element
      }
      if machine.phase != .open {
        let failure = machine.takeEnd()
        lock.unlock()
        if let failure { throw failure }
        return nil
      }
      let demand = machine.takeDemand()
      let upstream = machine.upstream
      lock.unlock()
      if demand > 0, let upstream {
        upstream.request(demand)
        continue
      }
      switch await wait(isolation: isolation).value {
      case .element(let element): return element
      case .failure(let failure): throw failure
      case .end: return nil
      case .retry: break
      }
    }
  }

  @inlinable
  @inline(never)
  func wait(isolation: isolated (any Actor)?) async -> UncheckedTransfer<Wake> {
    await withTaskCancellationHandler(
      operation: {
        var address: UInt = 0
        let wake: UncheckedTransfer<Wake> = await withUnsafeContinuation(isolation: isolation) { waiter in
          address = waiter.address
          lock.lock()
          if machine.phase == .open, machine.buffer.isEmpty, machine.outstanding >= machine.consumers {
            machine.waiters.append(waiter)
            lock.unlock()
          } else {
            lock.unlock()
            waiter.wake(returning: UncheckedTransfer(.retry))
          }
        }
        ThreadSanitizer.acquire(address)
        return wake
      },
      onCancel: { cancelWait() },
      isolation: isolation)
  }

  @inlinable
  static func end(_ waiters: inout RingBuffer<Waiter>) {
    while let waiter = waiters.popFirst() { waiter.wake(returning: UncheckedTransfer(.end)) }
  }
}
