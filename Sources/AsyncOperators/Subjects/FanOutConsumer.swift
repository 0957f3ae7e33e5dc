import InterflowPrimitives

/// A consumer's part: the elements that it has taken out of its buffer and not delivered. Its release removes the
/// consumer.
@usableFromInline
final class FanOutConsumer<Element, Failure: Error> {
  @usableFromInline let fanOut: FanOut<Element, Failure>
  @usableFromInline let inbox: FanOutInbox<Element>
  @usableFromInline @exclusivity(unchecked) var batch = RingBuffer<Element>()

  @inlinable
  init(_ fanOut: FanOut<Element, Failure>, _ rule: BufferStateMachine.Rule, limit: Int) {
    self.fanOut = fanOut
    inbox = fanOut.join(rule, limit: limit)
  }

  @inlinable
  deinit {
    fanOut.leave(inbox)
  }

  /// How many elements were dropped because there was no room.
  @usableFromInline var droppedCount: Int {
    fanOut.lock.lock()
    let count = inbox.machine.droppedCount
    fanOut.lock.unlock()
    return count
  }

  /// The next element if it is buffered; otherwise, the caller calls ``nextAfterPoll(isolation:)``. Two functions, so
  /// that the synchronous one can be inlined in the caller.
  @inlinable
  func poll() -> Element? {
    if Task.isCancelled {
      batch.removeAll()
      fanOut.leave(inbox)
      return nil
    }
    if let element = batch.popFirst() { return element }
    return fanOut.take(inbox, &batch)
  }

  /// Waits for the next element, or for the end, after ``poll()`` has found no element.
  @inlinable
  func nextAfterPoll(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    while true {
      if try fanOut.takeEnd(inbox) { return nil }
      await fanOut.wait(inbox, isolation: actor)
      if let element = fanOut.take(inbox, &batch) { return element }
    }
  }
}
