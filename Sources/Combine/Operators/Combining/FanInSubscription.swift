import InterflowPrimitives

/// The base class of the subscriptions that join values of several publishers into tuples: `zip` and `combineLatest`.
///
/// The subscriber's demand is requested from every publisher. A subclass stores the values, guarded by the turn.
@usableFromInline
class FanInSubscription<Downstream: Subscriber>: SerialSubscription<Void, Downstream> {
  // Guarded by `lock`: `links`. `linkCount` does not change after the first publisher has been subscribed to.
  // Guarded by the turn: `finishedInputs`, one bit for each, and `hasBorrowedTurn`.
  @usableFromInline @exclusivity(unchecked) final var links: ContiguousArray<UpstreamLink> = []
  @usableFromInline @exclusivity(unchecked) final var linkCount = 0
  @usableFromInline @exclusivity(unchecked) final var finishedInputs: UInt8 = 0
  /// Whether the turn is borrowed from another thread, which sleeps in a call of the subscriber. Meaningful when an
  /// input's closure is called while `isCallingSubscriber` is true.
  @usableFromInline @exclusivity(unchecked) final var hasBorrowedTurn = false

  @inlinable
  init(_ downstream: Downstream, _ name: OperatorName) {
    super.init(downstream, name, .awaitingSubscription)
  }

  // MARK: What a subclass overrides. With the turn.

  /// Whether no more tuples can be made, since inputs have finished.
  @usableFromInline
  func isExhausted() -> Bool { true }

  /// An input has completed: deliver what its last values have caused and what has not been delivered yet.
  @usableFromInline
  func inputWillEnd() {}

  /// Whether the completion drops tuples that have not been requested, rather than wait until they are.
  @usableFromInline
  var dropsUnrequestedOnFinish: Bool { false }

  /// Whether demand that arises during the delivery of a tuple is returned to the publisher whose value completed the
  /// tuple. It is requested from that publisher otherwise.
  @usableFromInline
  var returnsDemand: Bool { true }

  /// Whether a publisher that has failed is cancelled like the others.
  @usableFromInline
  var cancelsFailedInput: Bool { true }

  // MARK: Inputs

  /// Makes the subscriber of one publisher. Called for all publishers before the first is subscribed to.
  @inlinable
  final func input<Value>(accept: @escaping (Value) -> Void) -> FanInInput<Value, Downstream> {
    let input = FanInInput(self, index: linkCount, accept: accept)
    linkCount += 1
    links.append(input)
    return input
  }

  /// Subscribes to one of the publishers, unless the stream has ended.
  @inlinable
  final func subscribe<P: Publisher>(_ publisher: P, _ input: FanInInput<P.Output, Downstream>)
  where P.Failure == Downstream.Failure {
    if !input.hasEnded { publisher.subscribe(input) }
  }

  @usableFromInline
  final var allInputs: UInt8 { (1 << linkCount) - 1 }

  @usableFromInline
  final func hasFinished(_ index: Int) -> Bool { finishedInputs & (1 << index) != 0 }

  // MARK: Signals

  /// Enters the turn and passes a value to its input's closure.
  ///
  /// - Returns: The demand that the input is to return to its publisher.
  @inlinable
  final func receive<Value>(_ value: Value, from input: FanInInput<Value, Downstream>) -> Subscribers.Demand {
    let me = currentThreadIdentity()
    let previous = turn.enter(me)
    // The stream may have ended while this thread waited for the turn.
    guard input.isLinked else {
      leaveTurn(me, previous)
      return .none
    }
    if previous != 0 { hasBorrowedTurn = previous != me }
    input.accept(value)
    guard turn.hasWork, returnsDemand else {
      leaveTurn(me, previous)
      return .none
    }
    let more = takeUnforwarded(me)
    leaveTurn(me, previous)
    return more == .none ? .none : distribute(more, returning: input)
  }

  /// Requests demand from all publishers but one.
  ///
  /// - Returns: The demand that the remaining input is to return to its publisher.
  @usableFromInline
  final func distribute(_ more: Subscribers.Demand, returning input: ReplaceableLink) -> Subscribers.Demand {
    for link in currentLinks where link !== input { link.request(more) }
    return more
  }

  /// Delivers a tuple immediately if demand allows it, and buffers it otherwise. With the turn.
  @inlinable
  final func send(_ tuple: Downstream.Input) {
    if let more = deliverAtOnce(tuple) {
      if more != .none { addUnforwarded(more) }
    } else {
      buffer(tuple, ())
    }
  }

  @usableFromInline
  final func inputFinished(_ index: Int) {
    let me = currentThreadIdentity()
    let previous = turn.enter(me)
    finishedInputs |= 1 << index
    inputWillEnd()
    if isExhausted() { cancelInputsAndFinish() }
    leaveTurn(me, previous)
  }

  @usableFromInline
  final func inputFailed(_ completion: Completion) {
    let me = currentThreadIdentity()
    let previous = turn.enter(me)
    inputWillEnd()
    fail(completion)
    leaveTurn(me, previous)
  }

  /// Cancels the inputs, and finishes the stream after the buffered tuples. With the turn.
  @usableFromInline
  final func cancelInputsAndFinish() {
    cancelInputs()
    finish(.finished, dropsUnrequested: dropsUnrequestedOnFinish)
  }

  // MARK: From the base class

  @usableFromInline
  final override func forward(_ more: Subscribers.Demand) {
    if more != .none { for link in currentLinks { link.request(more) } }
  }

  private final var currentLinks: ContiguousArray<UpstreamLink> {
    lock.lock()
    let links = self.links
    lock.unlock()
    return links
  }

  @usableFromInline
  final override func cancelInputs() {
    lock.lock()
    let links = self.links
    self.links = []
    lock.unlock()
    for link in links { link.cancel() }
  }
}

/// The subscriber of one of the publishers, and the link to that publisher.
@usableFromInline
final class FanInInput<Input, Downstream: Subscriber>: ReplaceableLink, OperatorSubscriber {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let owner: FanInSubscription<Downstream>
  @usableFromInline let index: Int
  @usableFromInline let accept: (Input) -> Void

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }

  @inlinable
  init(_ owner: FanInSubscription<Downstream>, index: Int, accept: @escaping (Input) -> Void) {
    self.owner = owner
    self.index = index
    self.accept = accept
    super.init(owner.name)
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    attach(subscription)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    isLinked ? owner.receive(input, from: self) : .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    if case .failure = completion, owner.cancelsFailedInput {
      if !hasEnded { owner.inputFailed(completion) }
    } else if finish(evenIfWaiting: true) {
      if case .failure = completion { owner.inputFailed(completion) } else { owner.inputFinished(index) }
    }
  }
}
