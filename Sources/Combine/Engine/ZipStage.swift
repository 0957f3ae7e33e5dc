import InterflowPrimitives

/// Pairs the values of two publishers, first with first, second with second.
@usableFromInline
final class ZipStage<A, B, Downstream: Subscriber>: FanIn<Downstream>
where Downstream.Input == (A, B) {
  // Guarded by `lock`: both.
  @usableFromInline @exclusivity(unchecked) var a = RingBuffer<A>()
  @usableFromInline @exclusivity(unchecked) var b = RingBuffer<B>()

  @inlinable
  init(_ downstream: Downstream) {
    super.init(downstream, "Zip")
  }

  @inlinable
  func subscribe<PA: Publisher, PB: Publisher>(_ publisherA: PA, _ publisherB: PB)
  where
    PA.Output == A, PB.Output == B, PA.Failure == Downstream.Failure,
    PB.Failure == Downstream.Failure
  {
    let inputA = input { (value: A) in
      self.lock.lock()
      self.a.append(value)
      return self.pairUnlocking()
    }
    let inputB = input { (value: B) in
      self.lock.lock()
      self.b.append(value)
      return self.pairUnlocking()
    }
    subscribe(publisherA, inputA)
    subscribe(publisherB, inputB)
    start()
  }

  @inlinable
  func pairUnlocking() -> Subscribers.Demand {
    guard !a.isEmpty, !b.isEmpty, let first = a.popFirst(), let second = b.popFirst() else {
      lock.unlock()
      return .none
    }
    let isDone = finishedInputs != 0 && isExhausted()
    _ = sendUnlocking((first, second), ())
    if isDone { conclude() }
    return .none
  }

  @usableFromInline
  override func isExhausted() -> Bool {
    hasFinished(0) && a.isEmpty || hasFinished(1) && b.isEmpty
  }

  @usableFromInline
  override func takeValues() -> Any? {
    defer { (a, b) = (RingBuffer(), RingBuffer()) }
    return (a, b)
  }
}
