import InterflowPrimitives

/// Joins the values of two publishers in tuples: first with first, second with second.
@usableFromInline
final class ZipSubscription<A, B, Downstream: Subscriber>: FanInSubscription<Downstream>
where Downstream.Input == (A, B) {
  // Guarded by the turn: both.
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
      self.a.append(value)
      self.pair()
    }
    let inputB = input { (value: B) in
      self.b.append(value)
      self.pair()
    }
    subscribe(publisherA, inputA)
    subscribe(publisherB, inputB)
    sendSubscription()
  }

  @inlinable
  func pair() {
    guard !a.isEmpty, !b.isEmpty, let first = a.popFirst(), let second = b.popFirst() else { return }
    let isDone = finishedInputs != 0 && isExhausted()
    send((first, second))
    if isDone { cancelInputsAndFinish() }
  }

  @usableFromInline
  override func isExhausted() -> Bool {
    hasFinished(0) && a.isEmpty || hasFinished(1) && b.isEmpty
  }

  @usableFromInline
  override func releaseValues() {
    let released = (a, b)
    (a, b) = (RingBuffer(), RingBuffer())
    releaseOutsideLock(released)
  }
}

/// Joins the values of three or four publishers in tuples.
///
/// Nested zips of two do not behave the same: an inner zip finishes when it has joined all values of a publisher that
/// has finished, and then hides a failure of its other publisher.
@usableFromInline
final class WideZipSubscription<A, B, C, D, Downstream: Subscriber>: FanInSubscription<Downstream> {
  // Guarded by the turn: the four.
  @usableFromInline @exclusivity(unchecked) var a = RingBuffer<A>()
  @usableFromInline @exclusivity(unchecked) var b = RingBuffer<B>()
  @usableFromInline @exclusivity(unchecked) var c = RingBuffer<C>()
  @usableFromInline @exclusivity(unchecked) var d = RingBuffer<D>()

  /// The fourth value of each tuple, if there are three publishers.
  @usableFromInline let fourth: D?
  @usableFromInline let tuple: (A, B, C, D) -> Downstream.Input

  @inlinable
  init(_ downstream: Downstream, fourth: D? = nil, tuple: @escaping (A, B, C, D) -> Downstream.Input) {
    self.fourth = fourth
    self.tuple = tuple
    super.init(downstream, "Zip")
  }

  @inlinable
  func inputA() -> FanInInput<A, Downstream> {
    input { value in
      self.a.append(value)
      self.join()
    }
  }

  @inlinable
  func inputB() -> FanInInput<B, Downstream> {
    input { value in
      self.b.append(value)
      self.join()
    }
  }

  @inlinable
  func inputC() -> FanInInput<C, Downstream> {
    input { value in
      self.c.append(value)
      self.join()
    }
  }

  @inlinable
  func inputD() -> FanInInput<D, Downstream> {
    input { value in
      self.d.append(value)
      self.join()
    }
  }

  @inlinable
  func join() {
    // The fourth is checked last, because the check takes it out of its queue.
    guard !a.isEmpty, !b.isEmpty, !c.isEmpty, let fourth = fourth ?? d.popFirst(), let first = a.popFirst(),
      let second = b.popFirst(), let third = c.popFirst()
    else { return }
    let isDone = finishedInputs != 0 && isExhausted()
    send(tuple(first, second, third, fourth))
    if isDone { cancelInputsAndFinish() }
  }

  @usableFromInline
  override func isExhausted() -> Bool {
    hasFinished(0) && a.isEmpty || hasFinished(1) && b.isEmpty || hasFinished(2) && c.isEmpty
      || hasFinished(3) && d.isEmpty
  }

  @usableFromInline
  override func releaseValues() {
    let released = (a, b, c, d)
    (a, b, c, d) = (RingBuffer(), RingBuffer(), RingBuffer(), RingBuffer())
    releaseOutsideLock(released)
  }
}
