import InterflowPrimitives
import Synchronization

/// Subscribes to the publishers that a closure makes, and delivers the values of all through one outlet.
///
/// While demand has a limit, each inner publisher is asked for one value, and for the next when that one has been
/// delivered: the outlet holds at most one value of each.
@usableFromInline
final class FlatMapStage<Input, Inner: Publisher, Downstream: Subscriber>: Outlet<
  FlatMapInner<Input, Inner, Downstream>, Downstream
>, Subscriber
where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {
  @usableFromInline typealias Failure = Inner.Failure

  @usableFromInline let outer = UpstreamLink("FlatMap")
  @usableFromInline let maxPublishers: Subscribers.Demand

  // Guarded by `lock`: everything below it.
  @usableFromInline @exclusivity(unchecked) var transform: ((Input) -> Inner)?
  @usableFromInline @exclusivity(unchecked) var inners = InnerTable<FlatMapInner<Input, Inner, Downstream>>()
  @usableFromInline @exclusivity(unchecked) var outerIsDone = false

  @inlinable
  init(_ downstream: Downstream, maxPublishers: Subscribers.Demand, transform: @escaping (Input) -> Inner) {
    self.maxPublishers = maxPublishers
    self.transform = transform
    super.init(downstream, "FlatMap")
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    guard outer.link(subscription) else { return }
    lock.lock()
    let downstream = self.downstream
    lock.unlock()
    downstream?.receive(subscription: self)
    outer.request(maxPublishers)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard outer.isLinked else { return .none }
    let inner = FlatMapInner(self)
    lock.lock()
    guard let transform else {
      lock.unlock()
      return .none
    }
    inners.insert(inner)
    lock.unlock()
    transform(input).receive(subscriber: inner)
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard outer.finish() else { return }
    switch completion {
    case .finished:
      lock.lock()
      outerIsDone = true
      let isDone = inners.isEmpty
      lock.unlock()
      if isDone { finish(.finished, droppingWaiting: false) }
    case .failure:
      fail(completion)
    }
  }

  // MARK: From the inner publishers

  @usableFromInline
  func innerIsLinked(_ inner: FlatMapInner<Input, Inner, Downstream>) {
    lock.lock()
    let isUnlimited = demand == .unlimited
    if isUnlimited { inner.isUnlimited.store(true, ordering: .relaxed) }
    lock.unlock()
    inner.request(isUnlimited ? .unlimited : .max(1))
  }

  @usableFromInline
  func innerFinished(_ inner: FlatMapInner<Input, Inner, Downstream>) {
    lock.lock()
    inners.remove(inner)
    let isDone = outerIsDone && inners.isEmpty
    lock.unlock()
    if isDone {
      finish(.finished, droppingWaiting: false)
    } else if maxPublishers != .unlimited {
      outer.request(.max(1))
    }
  }

  @usableFromInline
  func fail(_ completion: Subscribers.Completion<Failure>) {
    releaseInputs()
    finish(completion, droppingWaiting: true)
  }

  // MARK: From the outlet

  @usableFromInline
  override func delivered(_ inner: FlatMapInner<Input, Inner, Downstream>) {
    if !inner.isUnlimited.load(ordering: .relaxed) { inner.request(.max(1)) }
  }

  @usableFromInline
  override func demanded(_ more: Subscribers.Demand, total: Subscribers.Demand) {
    guard more == .unlimited else { return }
    lock.lock()
    let raised = inners.members
    lock.unlock()
    for inner in raised where inner.isLinked && !inner.isUnlimited.exchange(true, ordering: .relaxed) {
      inner.request(.unlimited)
    }
  }

  @usableFromInline
  override func releaseInputs() {
    lock.lock()
    let transform = self.transform.take()
    let inners = self.inners.members
    self.inners = InnerTable()
    lock.unlock()
    withExtendedLifetime(transform) {}
    outer.cancel()
    for inner in inners { inner.cancel() }
  }
}

/// The subscriber of one inner publisher, and the link to it.
@usableFromInline
final class FlatMapInner<Input, Inner: Publisher, Downstream: Subscriber>: UpstreamLink, Subscriber, InnerTableMember
where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {
  @usableFromInline typealias Stage = FlatMapStage<Input, Inner, Downstream>
  @usableFromInline typealias Failure = Inner.Failure

  @usableFromInline let stage: Stage

  /// Whether the inner publisher has been asked for everything.
  @usableFromInline let isUnlimited = Atomic(false)

  // Guarded by the stage's lock: `tableIndex`.
  @usableFromInline @exclusivity(unchecked) var tableIndex = -1

  @inlinable
  init(_ stage: Stage) {
    self.stage = stage
    super.init("FlatMap")
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if link(subscription) { stage.innerIsLinked(self) }
  }

  @inlinable
  func receive(_ input: Inner.Output) -> Subscribers.Demand {
    guard isLinked else { return .none }
    return stage.send(input, self) && !isUnlimited.load(ordering: .relaxed) ? .max(1) : .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard finish() else { return }
    switch completion {
    case .finished: stage.innerFinished(self)
    case .failure: stage.fail(completion)
    }
  }
}
