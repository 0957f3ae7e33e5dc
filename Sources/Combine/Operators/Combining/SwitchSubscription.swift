import InterflowPrimitives

/// Delivers the values of the latest publisher that upstream has delivered, and cancels the one before.
///
/// Publishers are subscribed to without the core.turn.
@usableFromInline
final class SwitchSubscription<Input: Publisher, Downstream: Subscriber>: SerialSubscription<Void, Downstream>,
  OperatorSubscriber
where Input.Output == Downstream.Input, Input.Failure == Downstream.Failure {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let outer = UpstreamLink("SwitchToLatest")

  /// Whether upstream delivers `Just` publishers. Their value is usually delivered without a subscription, which takes
  /// a fifth of the time.
  @usableFromInline let innerIsJust = Just<Input.Output>.isWrapped(by: Input.self)

  /// The thread that requests values from the latest publisher during a call of the subscriber, or zero. Values that
  /// the publisher sends during that request are delivered after the call. Guarded by the core.turn.
  @usableFromInline @exclusivity(unchecked) var requestingThread: UInt = 0

  // Guarded by the core's lock: both. Changed with the turn, except by a cancellation.
  @usableFromInline @exclusivity(unchecked) var latest: SwitchInput<Input, Downstream>?
  @usableFromInline @exclusivity(unchecked) var outerHasFinished = false

  @inlinable
  init(_ downstream: Downstream) {
    super.init(downstream, "SwitchToLatest")
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if outer.link(subscription) { outer.request(.unlimited) }
  }

  @inlinable
  func receive(_ publisher: Input) -> Subscribers.Demand {
    guard outer.isLinked else { return .none }
    if innerIsJust, deliverJust(publisher) { return .none }
    if let next = replaceLatest(), !next.hasEnded { publisher.subscribe(next) }
    return .none
  }

  /// Replaces the latest publisher, which is cancelled, by a new one.
  ///
  /// - Returns: The new publisher's subscriber; `nil` if the stream has ended.
  @usableFromInline
  func replaceLatest() -> SwitchInput<Input, Downstream>? {
    let next = SwitchInput<Input, Downstream>(self)
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    core.lock.lock()
    let isOpen = isAccepting
    let replaced = isOpen ? latest : nil
    // The values of the replaced publisher are the newest in the buffer.
    let dropped = replaced.map { signals.takeNewest($0.buffered) }
    if isOpen {
      latest = next
      next.requested = demandForLatest
      next.add(next.requested)
    }
    core.lock.unlock()
    releaseOutsideLock(dropped)
    leaveTurn(me, previous)
    replaced?.cancel()
    return isOpen ? next : nil
  }

  /// Delivers the value of a `Just` immediately, if demand allows it and there is no latest publisher to cancel first.
  ///
  /// - Returns: Whether the value was delivered. Otherwise the caller subscribes to the publisher.
  @inlinable
  func deliverJust(_ publisher: Input) -> Bool {
    // `innerIsJust` says that the publisher is a `Just`, or a structure whose only field is one.
    let value = unsafeBitCast(publisher, to: Just<Input.Output>.self).output
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    core.lock.lock()
    guard latest == nil, let downstream = takeDemandForImmediateDelivery() else {
      core.lock.unlock()
      leaveTurn(me, previous)
      return false
    }
    core.lock.unlock()
    let more = deliver(value, to: downstream)
    // Another publisher may have become the latest during the delivery.
    if more != .none { addUnforwarded(more) }
    leaveTurn(me, previous)
    return true
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard outer.finish(from: .notEnded) else { return }
    switch completion {
    case .finished:
      let me = currentThreadIdentity()
      let previous = core.turn.enter(me)
      core.lock.lock()
      outerHasFinished = true
      let isDone = latest == nil
      core.lock.unlock()
      // A `Just` whose value is being delivered without a subscription is not in `latest`, but the completion must
      // follow its value.
      if isDone { finish(.finished, nests: !innerIsJust) }
      leaveTurn(me, previous)
    case .failure:
      fail(completion)
    }
  }

  // MARK: From the inputs

  @inlinable
  func receive(_ value: Input.Output, from input: SwitchInput<Input, Downstream>) -> Subscribers.Demand {
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    let more = deliver(value, from: input, me)
    leaveTurn(me, previous)
    return more
  }

  @inlinable
  func deliver(
    _ value: Input.Output, from input: SwitchInput<Input, Downstream>, _ me: UInt
  ) -> Subscribers.Demand {
    core.lock.lock()
    guard input === latest else {
      core.lock.unlock()
      return .none
    }
    if input.requested != .unlimited { input.requested -= 1 }
    guard requestingThread != me, let downstream = takeDemandForImmediateDelivery() else {
      input.buffered += 1
      core.lock.unlock()
      if requestingThread == me { bufferUntilTurnEnds(value, ()) } else { buffer(value, ()) }
      return .none
    }
    core.lock.unlock()
    let more = deliver(value, to: downstream)
    return more == .none ? .none : demandToReturn(more, to: input)
  }

  /// The subscriber has returned demand for a value of an input.
  ///
  /// - Returns: The demand that the input is to return to its publisher. None if another publisher is the latest by
  ///   now: the demand is then requested from that one.
  @usableFromInline
  func demandToReturn(_ more: Subscribers.Demand, to input: SwitchInput<Input, Downstream>) -> Subscribers.Demand {
    core.lock.lock()
    defer { core.lock.unlock() }
    guard input === latest else {
      core.addUnforwardedWithLock(more.rawValue)
      core.turn.markWork()
      return .none
    }
    let requested = input.requested == .unlimited ? more : demandForLatest - input.requested
    input.requested += requested
    return requested
  }

  @usableFromInline
  func finished(_ input: SwitchInput<Input, Downstream>) {
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    core.lock.lock()
    let isLatest = input === latest
    if isLatest { latest = nil }
    let isDone = isLatest && outerHasFinished
    core.lock.unlock()
    if isDone { finish(.finished) }
    leaveTurn(me, previous)
  }

  @usableFromInline
  func failed(_ input: SwitchInput<Input, Downstream>, _ completion: Subscribers.Completion<Failure>) {
    let me = currentThreadIdentity()
    let previous = core.turn.enter(me)
    core.lock.lock()
    let isLatest = input === latest
    core.lock.unlock()
    if isLatest { fail(completion) }
    leaveTurn(me, previous)
  }

  // MARK: Demand

  // Forwards immediately, and not after the call of the subscriber: the latest publisher may be a subject to which the
  // subscriber sends during the same call.
  @usableFromInline
  override func requestedDuringDelivery(_ me: UInt) {
    let outer = requestingThread
    requestingThread = me
    forwardRequests(me)
    requestingThread = outer
  }

  /// With the lock: how much demand the latest publisher should have. Buffered values will use some of the
  /// subscriber's.
  @usableFromInline
  var demandForLatest: Subscribers.Demand {
    core.lock.assertHeld()
    let demand = core.demand
    return demand.isUnlimited ? .unlimited : .max(Swift.max(0, Int(demand.count) - signals.elements.count))
  }

  @usableFromInline
  override func forward(_ more: Subscribers.Demand) {
    core.lock.lock()
    guard let latest, latest.requested != .unlimited else {
      core.lock.unlock()
      return
    }
    // Not simply `more`: it has been requested already from a publisher that arrived after it was added to the demand.
    let missing = demandForLatest - latest.requested
    latest.requested += missing
    core.lock.unlock()
    if missing != .none { latest.request(missing) }
  }

  @usableFromInline
  override func cancelInputs() {
    core.lock.lock()
    let latest = self.latest.take()
    core.lock.unlock()
    latest?.cancel()
    outer.cancel()
  }
}

/// The subscriber of one of the publishers, and the link to that publisher.
@usableFromInline
final class SwitchInput<Inner: Publisher, Downstream: Subscriber>: ReplaceableLink, OperatorSubscriber
where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Inner.Output
  @usableFromInline typealias Failure = Inner.Failure

  @usableFromInline let owner: SwitchSubscription<Inner, Downstream>

  /// Zero, since there is a publisher for each value: see ``SpecializationDepth``.
  @inlinable static var specializationDepth: Int { 0 }

  // Guarded by the owner's lock: the demand requested from the publisher and not met, and how many of its values are
  // buffered.
  @usableFromInline @exclusivity(unchecked) var requested = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) var buffered = 0

  @usableFromInline
  init(_ owner: SwitchSubscription<Inner, Downstream>) {
    self.owner = owner
    super.init("SwitchToLatest")
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    attach(subscription)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if !isLinked {
      if hasEnded { return .none }
      // A value before the subscription reduces the demand that is requested when the subscription arrives.
      spend()
    }
    return owner.receive(input, from: self)
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard finish(from: .notEnded) else { return }
    switch completion {
    case .finished: owner.finished(self)
    case .failure: owner.failed(self, completion)
    }
  }
}
