import InterflowPrimitives

/// Joins each value of two, three or four publishers with the latest values of the others.
///
/// The subscriber's demand is requested from each publisher, which together may cause more tuples than that. A tuple
/// without demand is replaced by a later one. Tuples that a subscriber causes by sending values from inside its
/// `receive` are folded into the newest, which is delivered once after that call; what that delivery causes in turn is
/// not delivered, so that a subscriber which writes back does not call itself for ever. One subscription receives the values of all publishers, rather than
/// nested ones of two, so that each value is joined with the latest of all the others.
@usableFromInline
final class CombineLatestSubscription<A, B, C, D, Downstream: Subscriber>: FanInSubscription<Downstream> {
  // Guarded by the turn: `folding` and the four. With fewer than four publishers, the remaining values are `Void` from
  // the start.
  @usableFromInline @exclusivity(unchecked) var a: A?
  @usableFromInline @exclusivity(unchecked) var b: B?
  @usableFromInline @exclusivity(unchecked) var c: C?
  @usableFromInline @exclusivity(unchecked) var d: D?

  @usableFromInline @exclusivity(unchecked) var folding = Folding.none

  /// What has become of the tuples that a delivery causes by values sent from inside it.
  @frozen
  @usableFromInline
  enum Folding {
    case none
    /// There is a tuple to deliver when the delivery has returned.
    case pending
    /// That tuple is being delivered.
    case delivering
  }

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
    if isCallingSubscriber { return joinInsideDelivery() }
    guard let a, let b, let c, let d else { return }
    deliverLatest(tuple(a, b, c, d))
    if folding == .pending { deliverFolded() }
  }

  /// Folds the tuple of the thread that delivers. One that has borrowed the turn delivers its own, which is newer than
  /// what the sleeping owner would deliver.
  @usableFromInline
  func joinInsideDelivery() {
    guard let a, let b, let c, let d else { return }
    let outer = folding
    guard hasBorrowedTurn else {
      if outer == .none { folding = .pending }
      return
    }
    folding = .none
    deliverLatest(tuple(a, b, c, d))
    if folding == .pending { deliverFolded() }
    if outer == .delivering { folding = outer }
  }

  @usableFromInline
  func deliverFolded() {
    folding = .delivering
    if let a, let b, let c, let d { deliverLatest(tuple(a, b, c, d)) }
    folding = .none
  }

  @inlinable
  @inline(__always)
  func deliverLatest(_ tuple: Downstream.Input) {
    if let more = deliverAtOnce(tuple) {
      if more != .none { addUnforwarded(more) }
    } else {
      replaceBuffered(tuple)
    }
  }

  /// Buffers a tuple. At most one buffered tuple, the latest, has not been requested.
  @usableFromInline
  func replaceBuffered(_ tuple: Downstream.Input) {
    lock.lock()
    let replaced = state.buffer.isEmpty || state.unrequestedCount == 0 ? nil : state.takeNewest()
    lock.unlock()
    withExtendedLifetime(replaced) { buffer(tuple, ()) }
  }

  @usableFromInline
  override func didDeliver(_ tag: Void) {
    if folding == .pending { deliverFolded() }
  }

  @usableFromInline
  override func inputWillEnd() {
    if folding == .pending { deliverFolded() }
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
