import InterflowPrimitives

/// Subscribes to the publishers that a closure makes from values, and merges them.
///
/// The closure is called without the turn, and the publishers that it makes are subscribed to without it.
@usableFromInline
final class FlatMapSubscription<Input, Inner: Publisher, Downstream: Subscriber>: MergeSubscription<Downstream>,
  OperatorSubscriber
where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {
  @usableFromInline typealias Failure = Inner.Failure

  @usableFromInline let outer = UpstreamLink("FlatMap")
  @usableFromInline let maxPublishers: Subscribers.Demand

  /// Whether the closure makes `Just` publishers. Their value is usually delivered without a subscription, which takes
  /// a fifth of the time.
  @usableFromInline let innerIsJust = Just<Inner.Output>.isWrapped(by: Inner.self)

  // Guarded by the core's lock: all three. If the closure makes `Just` publishers, `transforming` counts its calls that are
  // running: if upstream finishes inside one, the value comes before the completion.
  @usableFromInline @exclusivity(unchecked) var transforming = 0
  @usableFromInline @exclusivity(unchecked) var finishesAfterTransform = false
  @usableFromInline @exclusivity(unchecked) var transform: ((Input) -> Inner)?

  @inlinable
  init(
    _ downstream: Downstream, maxPublishers: Subscribers.Demand,
    transform: @escaping (Input) -> Inner
  ) {
    self.maxPublishers = maxPublishers
    self.transform = transform
    super.init(downstream, "FlatMap")
  }

  @usableFromInline override var deliversInOrderOfInputs: Bool { false }
  @usableFromInline override var cancelsFailedInput: Bool { false }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if outer.link(subscription) { outer.request(maxPublishers) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard !outer.hasEnded else { return .none }
    core.lock.lock()
    let transform = self.transform
    if innerIsJust { transforming &+= 1 }
    core.lock.unlock()
    guard let transform else { return .none }
    if innerIsJust { return receiveJust(transform(input)) }
    guard let inner = addInput() else { return .none }
    transform(input).receive(subscriber: inner)
    return .none
  }

  /// Delivers the value of a `Just` immediately if demand allows it, and otherwise subscribes to the publisher.
  @inlinable
  func receiveJust(_ publisher: Inner) -> Subscribers.Demand {
    // `innerIsJust` says that the publisher is a `Just`, or a structure whose only field is one.
    let value = unsafeBitCast(publisher, to: Just<Inner.Output>.self).output
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    core.lock.lock()
    transforming &-= 1
    let finishes = finishesAfterTransform && transforming == 0
    guard let downstream = takeDemandForImmediateDelivery() else {
      core.lock.unlock()
      leaveTurn(me, previous)
      if let inner = addInput() { publisher.receive(subscriber: inner) }
      if finishes { finishAdding(nests: false) }
      return .none
    }
    core.lock.unlock()
    let more = deliver(value, to: downstream)
    leaveTurn(me, previous)
    if finishes { finishAdding(nests: false) }
    if more == .unlimited { forward(more) }
    // Upstream's next value is requested rather than returned as demand: for returned demand, a current value subject
    // would not deliver a value that this has missed.
    inputsDidFinish(1)
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard outer.finish(from: .notEnded) else { return }
    switch completion {
    case .finished:
      core.lock.lock()
      let waits = transforming > 0
      if waits { finishesAfterTransform = true }
      core.lock.unlock()
      if !waits { finishAdding(nests: !innerIsJust) }
    case .failure: fail(completion)
    }
  }

  @usableFromInline
  override func inputsDidFinish(_ count: Int) {
    if maxPublishers != .unlimited { outer.request(.max(count)) }
  }

  @usableFromInline
  override func cancelInputs() {
    core.lock.lock()
    let transform = self.transform.take()
    core.lock.unlock()
    super.cancelInputs()
    withExtendedLifetime(transform) { outer.cancel() }
  }
}
