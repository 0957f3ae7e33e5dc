import InterflowPrimitives

/// Signals that come from inside the subscriber, on the thread that delivers to it: those of an outlet that nests are
/// delivered at once, after what waits, as a subject's are.
extension Outlet {
  /// With the lock, and somebody delivers: whether that is this thread, and it is inside the subscriber.
  @inlinable
  final var isInside: Bool { deliverer == currentThreadIdentity() && isInsideValue }

  /// With the lock, and nothing waits: delivers a value that has been asked for inside the delivery that this thread
  /// makes, and gives the lock back if it does.
  ///
  /// - Returns: What the subscriber asks for with it, which ``asked(_:)`` has not been told; `nil` where another thread
  ///   delivers.
  @inlinable
  @inline(never)
  final func nestUnlocking(_ value: Output) -> Subscribers.Demand? {
    guard isInside, let downstream else { return nil }
    if demand != .unlimited { demand -= 1 }
    lock.unlock()
    let more = downstream.receive(value)
    if more != .none {
      lock.lock()
      demand += more
      lock.unlock()
    }
    return more
  }

  /// With the lock, which it gives back: lets a value wait, and from inside the subscriber delivers it after what waits
  /// already, as far as that has been asked for.
  @usableFromInline
  final func enqueueNestingUnlocking(_ value: Output, _ tag: Tag) {
    guard terminal == nil, downstream != nil else { return lock.unlock() }
    waiting.append((tag, value))
    let isNested = deliverer != 0 && demand != .none && isInside
    let count = waiting.count
    lock.unlock()
    if isNested { deliverInside(atMost: count) }
  }

  /// As ``finish(_:droppingUnasked:)``, and from inside the subscriber at once.
  @usableFromInline
  final func finishNesting(_ completion: Completion, droppingUnasked: Bool = false) {
    close(completion, droppingUnasked: droppingUnasked)
    lock.lock()
    guard deliverer != 0, isInside else { return startDelivering() }
    lock.unlock()
    deliverInside(atMost: .max)
  }

  /// Inside the delivery that this thread makes, delivers what waits.
  private func deliverInside(atMost count: Int) {
    isInsideValue = false
    for _ in 0..<count {
      guard deliverNext(isDone: false) else { break }
    }
    isInsideValue = true
  }

  /// As ``asked(_:)``, for a value that was delivered at once and may have been so inside another.
  @usableFromInline
  final func askInputs(_ more: Subscribers.Demand) {
    lock.lock()
    let isNested = deliverer != 0 && isInside
    lock.unlock()
    if isNested { isInsideValue = false }
    asked(more)
    if isNested { isInsideValue = true }
  }
}
