import InterflowPrimitives

/// Joins the values of three or four publishers in rows.
///
/// Zips of two inside each other would not do: one that has used up a publisher which has finished is over, and hides
/// that the other fails while the row still waits for the third.
@usableFromInline
final class WideZipStage<A, B, C, D, Downstream: Subscriber>: FanIn<Downstream> {
  // Guarded by `lock`: the four.
  @usableFromInline @exclusivity(unchecked) var a = RingBuffer<A>()
  @usableFromInline @exclusivity(unchecked) var b = RingBuffer<B>()
  @usableFromInline @exclusivity(unchecked) var c = RingBuffer<C>()
  @usableFromInline @exclusivity(unchecked) var d = RingBuffer<D>()

  /// What stands in each row for the fourth publisher, where there are three.
  @usableFromInline let fourth: D?
  @usableFromInline let row: (A, B, C, D) -> Downstream.Input

  @inlinable
  init(_ downstream: Downstream, fourth: D? = nil, row: @escaping (A, B, C, D) -> Downstream.Input) {
    self.fourth = fourth
    self.row = row
    super.init(downstream, "Zip")
  }

  @inlinable
  func inputA() -> FanInInput<A, Downstream> {
    input { value in
      self.lock.lock()
      self.a.append(value)
      return self.joinUnlocking()
    }
  }

  @inlinable
  func inputB() -> FanInInput<B, Downstream> {
    input { value in
      self.lock.lock()
      self.b.append(value)
      return self.joinUnlocking()
    }
  }

  @inlinable
  func inputC() -> FanInInput<C, Downstream> {
    input { value in
      self.lock.lock()
      self.c.append(value)
      return self.joinUnlocking()
    }
  }

  @inlinable
  func inputD() -> FanInInput<D, Downstream> {
    input { value in
      self.lock.lock()
      self.d.append(value)
      return self.joinUnlocking()
    }
  }

  @inlinable
  func joinUnlocking() -> Subscribers.Demand {
    // The fourth last: it is taken out of its queue only when the others are there.
    guard !a.isEmpty, !b.isEmpty, !c.isEmpty, let fourth = fourth ?? d.popFirst(), let first = a.popFirst(),
      let second = b.popFirst(), let third = c.popFirst()
    else {
      lock.unlock()
      return .none
    }
    let isDone = finishedInputs != 0 && isExhausted()
    _ = sendUnlocking(row(first, second, third, fourth), ())
    if isDone { conclude() }
    return .none
  }

  @usableFromInline
  override func isExhausted() -> Bool {
    hasFinished(0) && a.isEmpty || hasFinished(1) && b.isEmpty || hasFinished(2) && c.isEmpty
      || hasFinished(3) && d.isEmpty
  }

  @usableFromInline
  override func takeValues() -> Any? {
    defer { (a, b, c, d) = (RingBuffer(), RingBuffer(), RingBuffer(), RingBuffer()) }
    return (a, b, c, d)
  }
}
