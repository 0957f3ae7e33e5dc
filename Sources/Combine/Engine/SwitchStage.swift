import InterflowPrimitives

/// Follows the latest of the publishers that come from upstream, and cancels the one before it.
@usableFromInline
final class SwitchStage<Input: Publisher, Downstream: Subscriber>: Outlet<Void, Downstream>,
  Subscriber
where Input.Output == Downstream.Input, Input.Failure == Downstream.Failure {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let outer = UpstreamLink("SwitchToLatest")

  /// Whether the publishers are those of one value that is there, which most often need no subscription: that takes a
  /// fifth of the time.
  @usableFromInline let takesJust = Just<Input.Output>.isWrapped(by: Input.self)

  // Guarded by `lock`: both.
  @usableFromInline @exclusivity(unchecked) var latest: SwitchInput<Input, Downstream>?
  @usableFromInline @exclusivity(unchecked) var outerIsDone = false

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
    if takesJust, deliverJust(publisher) { return .none }
    let next = SwitchInput<Input, Downstream>(self)
    lock.lock()
    guard downstream != nil, terminal == nil else {
      lock.unlock()
      return .none
    }
    let previous = latest
    // What waits of the one before is the newest that waits.
    let dropped = previous.map { dropLast(Swift.min($0.queued, waiting.count)) }
    latest = next
    next.granted = wanted
    next.add(next.granted)
    lock.unlock()
    withExtendedLifetime(dropped) {}
    previous?.cancel()
    if !next.hasEnded { publisher.subscribe(next) }
    return .none
  }

  /// Delivers the one value of a publisher at once if it may, as that would, and there is no other to cancel first.
  @inlinable
  func deliverJust(_ publisher: Input) -> Bool {
    // A `Just`, or nothing but one: see `takesJust`.
    let value = unsafeBitCast(publisher, to: Just<Input.Output>.self).output
    lock.lock()
    guard latest == nil, let more = deliverUnlocking(value, nests: true) else {
      lock.unlock()
      return false
    }
    // For a publisher that has come meanwhile.
    if more != .none { askInputs(more) }
    return true
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard outer.finish(evenIfWaiting: true) else { return }
    switch completion {
    case .finished:
      lock.lock()
      outerIsDone = true
      let isDone = latest == nil
      lock.unlock()
      guard isDone else { return }
      // Inside the value of a `Just` that publisher, which would hold the end back, is not there to be seen.
      if takesJust { finish(.finished) } else { finishNesting(.finished) }
    case .failure:
      fail(completion)
    }
  }

  @inlinable
  func accept(_ value: Input.Output, from input: SwitchInput<Input, Downstream>) -> Subscribers.Demand {
    lock.lock()
    guard input === latest else {
      lock.unlock()
      return .none
    }
    if input.granted != .unlimited { input.granted -= 1 }
    guard let more = deliverUnlocking(value, nests: true) else {
      input.queued += 1
      enqueueNestingUnlocking(value, ())
      return .none
    }
    return more == .none ? .none : grant(more, to: input)
  }

  /// The subscriber has asked for more with a value of a publisher.
  ///
  /// - Returns: What that one is told. Another one that is the latest by now is asked for it.
  @usableFromInline
  func grant(_ more: Subscribers.Demand, to input: SwitchInput<Input, Downstream>) -> Subscribers.Demand {
    lock.lock()
    guard input === latest else {
      lock.unlock()
      askInputs(more)
      return .none
    }
    let granted = input.granted == .unlimited ? more : wanted - input.granted
    input.granted += granted
    lock.unlock()
    return granted
  }

  @usableFromInline
  func finished(_ input: SwitchInput<Input, Downstream>) {
    lock.lock()
    let isLatest = input === latest
    if isLatest { latest = nil }
    let isDone = isLatest && outerIsDone
    lock.unlock()
    if isDone { finishNesting(.finished) }
  }

  @usableFromInline
  func failed(
    _ input: SwitchInput<Input, Downstream>, _ completion: Subscribers.Completion<Failure>
  ) {
    lock.lock()
    let isLatest = input === latest
    lock.unlock()
    if isLatest { fail(completion) }
  }

  private func fail(_ completion: Subscribers.Completion<Failure>) {
    close(completion, droppingUnasked: true)
    releaseInputs()
    finishNesting(completion)
  }

  /// Under the lock: what the latest publisher is to have been asked for. What waits has been paid for already.
  @usableFromInline
  var wanted: Subscribers.Demand { demand - waiting.count }

  @usableFromInline
  override func asked(_ more: Subscribers.Demand) {
    lock.lock()
    guard let latest, latest.granted != .unlimited else {
      lock.unlock()
      return
    }
    // Not simply `more`: a publisher that came after that was added to the demand has been asked for it already.
    let missing = wanted - latest.granted
    latest.granted += missing
    lock.unlock()
    if missing != .none { latest.request(missing) }
  }

  @usableFromInline
  override func releaseInputs() {
    lock.lock()
    let latest = self.latest.take()
    lock.unlock()
    latest?.cancel()
    outer.cancel()
  }

  @usableFromInline override var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// The subscriber of one of the publishers, and the link to it.
@usableFromInline
final class SwitchInput<Inner: Publisher, Downstream: Subscriber>: DemandCarrier, Subscriber
where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Inner.Output
  @usableFromInline typealias Failure = Inner.Failure

  @usableFromInline let stage: SwitchStage<Inner, Downstream>

  // Guarded by the stage's lock: what has been asked for and has not come, and how many of its values had to wait.
  @usableFromInline @exclusivity(unchecked) var granted = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) var queued = 0

  @usableFromInline
  init(_ stage: SwitchStage<Inner, Downstream>) {
    self.stage = stage
    super.init("SwitchToLatest")
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    attach(subscription)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    isLinked ? stage.accept(input, from: self) : .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard finish(evenIfWaiting: true) else { return }
    switch completion {
    case .finished: stage.finished(self)
    case .failure: stage.failed(self, completion)
    }
  }
}
