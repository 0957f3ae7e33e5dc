import InterflowPrimitives

/// Joins each value of two, three or four publishers with the latest of the others.
///
/// Each publisher is asked for as many values as the subscriber requests, and together they make more tuples than that:
/// what the subscriber has no demand for, a later tuple replaces. One subscription sees all publishers, so that a tuple
/// is never older than its newest value.
@usableFromInline
final class CombineLatestSubscription<A, B, C, D, Downstream: Subscriber>: FanInSubscription<Downstream> {
  // Guarded by the turn: the four. Where there are fewer publishers, those that are missing have a `Void` from the
  // start.
  @usableFromInline @exclusivity(unchecked) var a: A?
  @usableFromInline @exclusivity(unchecked) var b: B?
  @usableFromInline @exclusivity(unchecked) var c: C?
  @usableFromInline @exclusivity(unchecked) var d: D?

  @usableFromInline let tuple: (A, B, C, D) -> Downstream.Input

  @inlinable
  init(_ downstream: Downstream, c: C? = nil, d: D? = nil, tuple: @escaping (A, B, C, D) -> Downstream.Input) {
    self.c = c
    self.d = d
    self.tuple = tuple
    super.init(downstream, "CombineLatest")
  }

  @inlinable
  func inputA() -> FanInInput<A, Downstream> {
    input { value in
      let replaced = self.a
      self.a = value
      withExtendedLifetime(replaced) { self.join() }
    }
  }

  @inlinable
  func inputB() -> FanInInput<B, Downstream> {
    input { value in
      let replaced = self.b
      self.b = value
      withExtendedLifetime(replaced) { self.join() }
    }
  }

  @inlinable
  func inputC() -> FanInInput<C, Downstream> {
    input { value in
      let replaced = self.c
      self.c = value
      withExtendedLifetime(replaced) { self.join() }
    }
  }

  @inlinable
  func inputD() -> FanInInput<D, Downstream> {
    input { value in
      let replaced = self.d
      self.d = value
      withExtendedLifetime(replaced) { self.join() }
    }
  }

  @inlinable
  func join() {
    guard let a, let b, let c, let d else { return }
    let tuple = tuple(a, b, c, d)
    if let more = deliverAtOnce(tuple) {
      if more != .none { addUnforwarded(more) }
    } else {
      replaceBuffered(tuple)
    }
  }

  /// Buffers one tuple more than is requested, the latest, for when more is requested before the end.
  @usableFromInline
  func replaceBuffered(_ tuple: Downstream.Input) {
    lock.lock()
    let replaced = state.buffer.isEmpty || state.unrequestedCount == 0 ? nil : state.takeNewest()
    lock.unlock()
    withExtendedLifetime(replaced) { buffer(tuple, ()) }
  }

  @usableFromInline
  override var dropsUnrequestedOnFinish: Bool { true }

  @usableFromInline
  override var returnsDemand: Bool { false }

  @usableFromInline
  override var cancelsFailedInput: Bool { false }

  @usableFromInline
  override func isExhausted() -> Bool {
    finishedInputs == allInputs
  }

  @usableFromInline
  override func releaseValues() {
    let released = (a, b, c, d)
    (a, b, c, d) = (nil, nil, nil, nil)
    releaseOutsideLock(released)
  }
}
