import InterflowPrimitives
import Synchronization

/// Delivers the values of several publishers through one outlet, as they come.
///
/// While demand has a limit, each publisher is asked for one value, and for the next when that one has been delivered:
/// the outlet holds at most one value of each.
@usableFromInline
class MergeStage<Downstream: Subscriber>: Outlet<MergeInput<Downstream>, Downstream> {
  // Guarded by `lock`: both.
  @usableFromInline @exclusivity(unchecked) final var inputs = InnerTable()
  @usableFromInline @exclusivity(unchecked) final var isSealed = false

  /// Hands the subscriber its subscription, adds what a closure adds, and no more.
  @inlinable
  final func start(_ addAll: (MergeStage) -> Void) {
    currentDownstream?.receive(subscription: self)
    addAll(self)
    seal()
  }

  /// Subscribes to another publisher, unless the end has come.
  @inlinable
  final func add<P: Publisher>(_ publisher: P)
  where P.Output == Downstream.Input, P.Failure == Downstream.Failure {
    if let input = addInput() { publisher.subscribe(input) }
  }

  /// Makes room for another publisher, before it is subscribed to.
  ///
  /// - Returns: Its subscriber; `nil` after the end.
  @inlinable
  final func addInput() -> MergeInput<Downstream>? {
    let input = MergeInput(self)
    lock.lock()
    let isOpen = downstream != nil && terminal == nil
    if isOpen { inputs.insert(input) }
    lock.unlock()
    return isOpen ? input : nil
  }

  /// Says that no publishers will be added, so that the stream finishes when those there are have.
  ///
  /// - Parameter nests: Whether the end may come inside a value, where no publisher holds it back.
  @usableFromInline
  final func seal(nests: Bool = true) {
    lock.lock()
    isSealed = true
    let isDone = inputs.isEmpty
    lock.unlock()
    guard isDone else { return }
    if nests { finishNesting(.finished) } else { finish(.finished) }
  }

  /// Ends the stream with a failure, after the values that have been asked for.
  @usableFromInline
  final func fail(_ completion: Subscribers.Completion<Downstream.Failure>) {
    close(completion, droppingUnasked: true)
    releaseInputs()
    finishNesting(completion)
  }

  /// One of the publishers has finished and its values have been delivered, and others have not or may come.
  @usableFromInline
  func inputFinished() {}

  // MARK: From the inputs

  @inlinable
  final func linked(_ input: MergeInput<Downstream>, _ subscription: any Subscription) {
    lock.lock()
    let isUnlimited = demand == .unlimited
    if isUnlimited { input.isUnlimited.store(true, ordering: .relaxed) }
    lock.unlock()
    subscription.request(isUnlimited ? .unlimited : .max(1))
  }

  @inlinable
  final func finished(_ input: MergeInput<Downstream>) {
    lock.lock()
    inputs.remove(input)
    let isDone = isSealed && inputs.isEmpty
    lock.unlock()
    if isDone {
      finishNesting(.finished)
    } else if input.finishedWithNothingWaiting() {
      inputFinished()
    }
  }

  // MARK: From the outlet

  @inlinable
  final override func delivered(_ input: MergeInput<Downstream>) {
    if input.lastWaitingWasDelivered() {
      inputFinished()
    } else if !input.isUnlimited.load(ordering: .relaxed) {
      input.request(.max(1))
    }
  }

  @usableFromInline
  final override func asked(_ more: Subscribers.Demand) {
    guard more == .unlimited else { return }
    lock.lock()
    let raised = inputs.members
    lock.unlock()
    for input in raised
    where input.isLinked && !input.isUnlimited.exchange(true, ordering: .relaxed) {
      input.request(.unlimited)
    }
  }

  @usableFromInline
  override func releaseInputs() {
    lock.lock()
    let inputs = self.inputs.members
    self.inputs = InnerTable()
    lock.unlock()
    for input in inputs { input.cancel() }
  }
}

/// The subscriber of one of the publishers, and the link to it.
@usableFromInline
final class MergeInput<Downstream: Subscriber>: TableLink, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let stage: MergeStage<Downstream>

  /// Twice the number of values that wait in the outlet, and one if the publisher has finished. A publisher that has
  /// finished still takes up its place while a value of it waits, or one after the other would come and wait too.
  @usableFromInline let waiting = Atomic(0)

  @inlinable
  init(_ stage: MergeStage<Downstream>) {
    self.stage = stage
    super.init(stage.name)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if link(subscription) { stage.linked(self, subscription) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard isLinked else { return .none }
    stage.lock.lock()
    guard let more = stage.deliverUnlocking(input, nests: true) else {
      waiting.wrappingAdd(2, ordering: .acquiringAndReleasing)
      stage.enqueueNestingUnlocking(input, self)
      return .none
    }
    if isUnlimited.load(ordering: .relaxed) { return more }
    return more == .unlimited ? raise() : .max(1)
  }

  /// Everything has been asked for with a value of this publisher: tells the others.
  ///
  /// - Returns: What this one is told.
  @usableFromInline
  func raise() -> Subscribers.Demand {
    let isFirst = !isUnlimited.exchange(true, ordering: .relaxed)
    stage.askInputs(.unlimited)
    return isFirst ? .unlimited : .none
  }

  /// - Returns: Whether the publisher's place is free.
  @inlinable
  func finishedWithNothingWaiting() -> Bool {
    waiting.bitwiseOr(1, ordering: .acquiringAndReleasing).newValue == 1
  }

  /// - Returns: Whether the publisher has finished before, so that its place is free now.
  @inlinable
  func lastWaitingWasDelivered() -> Bool {
    waiting.wrappingSubtract(2, ordering: .acquiringAndReleasing).newValue == 1
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard finish(evenIfWaiting: true) else { return }
    switch completion {
    case .finished: stage.finished(self)
    case .failure: stage.fail(completion)
    }
  }
}
