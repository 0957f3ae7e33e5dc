import InterflowPrimitives

/// Pairs each value of two publishers with the latest of the other.
///
/// Each publisher is asked for as many values as the subscriber wants, and makes up to as many pairs: what the
/// subscriber has no demand for, a later pair replaces.
@usableFromInline
final class CombineLatestStage<A, B, Downstream: Subscriber>: FanIn<Downstream>
where Downstream.Input == (A, B) {
  // Guarded by `lock`: both.
  @usableFromInline @exclusivity(unchecked) var a: A?
  @usableFromInline @exclusivity(unchecked) var b: B?

  @inlinable
  init(_ downstream: Downstream) {
    super.init(downstream, "CombineLatest")
  }

  @inlinable
  func subscribe<PA: Publisher, PB: Publisher>(_ publisherA: PA, _ publisherB: PB)
  where
    PA.Output == A, PB.Output == B, PA.Failure == Downstream.Failure,
    PB.Failure == Downstream.Failure
  {
    let inputA = input { (value: A) in
      self.lock.lock()
      let previous = self.a
      self.a = value
      return withExtendedLifetime(previous) { self.pairUnlocking() }
    }
    let inputB = input { (value: B) in
      self.lock.lock()
      let previous = self.b
      self.b = value
      return withExtendedLifetime(previous) { self.pairUnlocking() }
    }
    currentDownstream?.receive(subscription: self)
    publisherA.subscribe(inputA)
    publisherB.subscribe(inputB)
  }

  @inlinable
  func pairUnlocking() -> Subscribers.Demand {
    guard let a, let b else {
      lock.unlock()
      return .none
    }
    // One pair more than is asked for is kept, the latest, for when more is.
    let replaced = waiting.isEmpty || demand >= waiting.count ? nil : waiting.popLast()
    _ = sendUnlocking((a, b), ())
    withExtendedLifetime(replaced) {}
    return .none
  }

  @usableFromInline
  override func isExhausted() -> Bool {
    hasFinished(0) && hasFinished(1)
  }

  @usableFromInline
  override func takeValues() -> Any? {
    defer { (a, b) = (nil, nil) }
    return (a, b)
  }
}
