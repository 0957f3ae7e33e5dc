import InterflowPrimitives

/// Joins each value of two, three or four publishers with the latest of the others.
///
/// Each publisher is asked for as many values as the subscriber wants, and together they make more rows than that: what
/// the subscriber has no demand for, a later row replaces. One stage sees all publishers, so that a row is never older
/// than its newest value.
@usableFromInline
final class CombineLatestStage<A, B, C, D, Downstream: Subscriber>: FanIn<Downstream> {
  // Guarded by `lock`: the four. Where there are fewer publishers, those that are missing have a `Void` from the start.
  @usableFromInline @exclusivity(unchecked) var a: A?
  @usableFromInline @exclusivity(unchecked) var b: B?
  @usableFromInline @exclusivity(unchecked) var c: C?
  @usableFromInline @exclusivity(unchecked) var d: D?

  /// Puts a row together. Called with the lock, so it does nothing else.
  @usableFromInline let row: (A, B, C, D) -> Downstream.Input

  @inlinable
  init(_ downstream: Downstream, c: C? = nil, d: D? = nil, row: @escaping (A, B, C, D) -> Downstream.Input) {
    self.c = c
    self.d = d
    self.row = row
    super.init(downstream, "CombineLatest")
  }

  @inlinable
  func inputA() -> FanInInput<A, Downstream> {
    input { value in
      self.lock.lock()
      let previous = self.a
      self.a = value
      return withExtendedLifetime(previous) { self.joinUnlocking() }
    }
  }

  @inlinable
  func inputB() -> FanInInput<B, Downstream> {
    input { value in
      self.lock.lock()
      let previous = self.b
      self.b = value
      return withExtendedLifetime(previous) { self.joinUnlocking() }
    }
  }

  @inlinable
  func inputC() -> FanInInput<C, Downstream> {
    input { value in
      self.lock.lock()
      let previous = self.c
      self.c = value
      return withExtendedLifetime(previous) { self.joinUnlocking() }
    }
  }

  @inlinable
  func inputD() -> FanInInput<D, Downstream> {
    input { value in
      self.lock.lock()
      let previous = self.d
      self.d = value
      return withExtendedLifetime(previous) { self.joinUnlocking() }
    }
  }

  @inlinable
  func joinUnlocking() -> Subscribers.Demand {
    guard let a, let b, let c, let d else {
      lock.unlock()
      return .none
    }
    // One row more than is asked for is kept, the latest, for when more is asked for before the end.
    let replaced = waiting.isEmpty || demand >= waiting.count ? nil : waiting.popLast()
    _ = sendUnlocking(row(a, b, c, d), ())
    withExtendedLifetime(replaced) {}
    return .none
  }

  @usableFromInline
  override var dropsUnaskedAtTheEnd: Bool { true }

  @usableFromInline
  override func isExhausted() -> Bool {
    finishedInputs == allInputs
  }

  @usableFromInline
  override func takeValues() -> Any? {
    defer { (a, b, c, d) = (nil, nil, nil, nil) }
    return (a, b, c, d)
  }
}
